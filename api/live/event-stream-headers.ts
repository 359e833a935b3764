/** Of every answer that is a stream of server-sent events. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies such as nginx would collect the events otherwise.
  'x-accel-buffering': 'no',
};
