/** The headers of every stream of server-sent events. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies such as nginx would otherwise buffer the events.
  'x-accel-buffering': 'no',
};
