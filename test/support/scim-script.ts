import { expect } from '@jest/globals';
import type { ScimClient } from './scim.ts';

/**
 * One request of a recorded script, with what the client needs of the answer. `<name>` stands for an id of an earlier
 * step.
 */
export interface ScimStep {
  /** Says in words what the client does. */
  does: string;
  send: [method: string, path: string, body?: object];
  /** Holds for a part of the body; an answer without one has `undefined`. */
  gets: { status: number; body?: object };
  /** Calls the id of the resource that came back by this name. */
  names?: string;
}

/** Names that a script has given to ids. */
export type ScimIds = Map<string, string>;

/** Sends the requests in their order, and holds each answer against what the client needs. */
export async function play(client: ScimClient, steps: readonly ScimStep[], ids: ScimIds): Promise<void> {
  for (const { does, send, gets, names } of steps) {
    const [method, path, body] = send;
    const answer = await client.call(method, fill(path, ids), body && fill(body, ids));
    expect({ does, status: answer.status, body: answer.body }).toMatchObject({
      does,
      body: undefined,
      ...fill(gets, ids),
    });
    if (names !== undefined) ids.set(names, answer.body.id);
  }
}

/** Puts ids in the places of their names. In a path, what follows `?` is written as an address has it. */
function fill<Part extends string | object>(part: Part, ids: ScimIds): Part {
  if (typeof part === 'string') {
    const filled = part.replaceAll(/<(\w+)>/g, (_, name: string) => ids.get(name) ?? `<${name}>`);
    return filled.replaceAll(' ', '%20').replaceAll('"', '%22') as Part;
  }
  const text = JSON.stringify(part).replaceAll(/<(\w+)>/g, (_, name: string) => ids.get(name) ?? `<${name}>`);
  return JSON.parse(text) as Part;
}
