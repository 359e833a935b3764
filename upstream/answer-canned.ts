import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CannedAnswers } from './canned-answer.ts';
import type { RequestLog } from './request-log.ts';

/**
 * Answers a request for a canned model without route, parsed body or promise, so that benchmarks of the gateway do not
 * measure this server. Returns false for other requests.
 */
export function answerCanned(
  canned: CannedAnswers,
  body: Buffer,
  request: IncomingMessage,
  response: ServerResponse,
  log: RequestLog,
): boolean {
  const answer = canned.answerTo(body);
  if (answer === undefined) return false;
  const { method = '', url = '' } = request;
  log.begin({ method, path: url, target: canned.target, hasKey: true }).outcome = 200;
  response.writeHead(200, answer.headers);
  response.end(answer.body);
  return true;
}
