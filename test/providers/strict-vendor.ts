/**
 * A stand-in for the vendors that speak OpenAI's wire. It answers as they do, and refuses what the wire of one vendor
 * refuses, with the status and the words of that vendor.
 */
import type { ServerResponse } from 'node:http';
import {
  answerChat,
  sendJson,
  startVendorServer,
  type VendorCall,
  type VendorServer,
} from '../support/vendor-server.ts';

/** What one vendor's documentation says of requests. */
export interface StrictWire {
  /** The path of `chat/completions` at the vendor. */
  path: string;
  /** Fields of the request that the vendor refuses or does not know. */
  fields?: string[];
  /** Fields of messages that it refuses. */
  ofMessages?: string[];
  /** True: it answers without a key. */
  keyless?: true;
  /** True: it takes content as one text only. */
  textOnly?: true;
}

type Message = Record<string, unknown>;

/** Starts the stand-in. `wire` says which vendor it is; a test sets it before it calls. */
export async function startStrictVendor(): Promise<VendorServer & { wire: StrictWire }> {
  const server: VendorServer = await startVendorServer((call, response) => {
    const problem = problemOf(call, vendor.wire);
    if (problem === undefined) answerChat(call, response);
    else refuse(response, problem);
  });
  const vendor = Object.assign(server, { wire: { path: '/' } as StrictWire });
  return vendor;
}

function problemOf({ path, key, body }: VendorCall, wire: StrictWire): string | undefined {
  if (path !== wire.path) return `path ${path}`;
  if (key !== 'sk-vendor' && !(key === undefined && wire.keyless)) return `key ${key}`;
  const request = JSON.parse(body) as Message & { messages: Message[] };
  const field = wire.fields?.find((name) => name in request);
  if (field !== undefined) return `field ${field}`;
  const roles = ['system', 'user', 'assistant', 'tool'];
  for (const message of request.messages) {
    if (!roles.includes(String(message['role']))) return `role ${String(message['role'])}`;
    const inner = wire.ofMessages?.find((name) => name in message);
    if (inner !== undefined) return `messages.${inner}`;
    if (wire.textOnly === true && typeof message['content'] !== 'string') return 'content';
  }
  return undefined;
}

function refuse(response: ServerResponse, problem: string): void {
  sendJson(response, 422, {
    detail: [{ type: 'extra_forbidden', loc: ['body', problem], msg: `refused: ${problem}` }],
  });
}
