import type { RequestListener, Server } from 'node:http';
import type { BodyPace } from './request/body-pace.ts';

/**
 * Discards the rest of a body after its request was answered; most refusals precede the body. A body that arrives too
 * slowly is cut with its connection.
 */
export function dropUnreadBodies(server: Server, pace: BodyPace): void {
  const listener: RequestListener = (request, response) => {
    response.once('close', () => {
      const { complete, socket } = request;
      // A connection that ends anyway needs no rest of the body.
      if (complete || !socket.writable) return;
      // A body whose reading was abandoned would otherwise stay paused.
      request.resume();
      request.once(
        'close',
        pace.watch(request, () => socket.destroy()),
      );
    });
  };
  server.on('request', listener).on('checkContinue', listener);
}
