import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestLog } from '../request-log.ts';
import { cannedAnswer } from './canned-chat.ts';

/**
 * Answers a request for the canned model without a route, a parsed body or a promise: this server must not be
 * what a benchmark of the gateway measures. False when the body asks for something else.
 */
export function answerCanned(
  body: Buffer,
  request: IncomingMessage,
  response: ServerResponse,
  log: RequestLog,
): boolean {
  const answer = cannedAnswer(body);
  if (answer === undefined) return false;
  const { method = '', url = '' } = request;
  log.begin({ method, path: url, target: 'chat', hasKey: true }).outcome = 200;
  response.writeHead(200, answer.headers);
  response.end(answer.body);
  return true;
}
