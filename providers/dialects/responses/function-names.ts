/** Maps functions of a responses request to unique names in a chat, and back. */
import { createHash } from 'node:crypto';
import { type Fields, fieldsIn, textOf } from '../../../domain/fields.ts';

/** A function as a responses request names it. */
export interface FunctionName {
  name: string;
  /** The namespace that the function belongs to; absent when it has none. */
  namespace?: string;
}

/** The names that vendors of chats accept, by their characters and length. */
const CHAT_NAME = /^[\w-]{1,64}$/;
const MAX_READABLE = 55;

/**
 * Gives each function of a namespace its own name in a chat, which has no namespaces, and finds the function of such a
 * name. Functions outside of namespaces keep their names, and no other function gets the name of one of them. A name
 * depends only on the names of the function and its namespace, so a conversation has the same names in every request.
 */
export class FunctionNames {
  readonly #given = new Map<string, string>();
  /** The function of each chat name; undefined for a function outside of namespaces. */
  readonly #owners = new Map<string, FunctionName | undefined>();

  /** Names the functions among `tools` of a responses request. */
  constructor(tools: unknown) {
    for (const { type, name } of fieldsIn(tools))
      if (type === 'function') this.#owners.set(textOf(name), undefined);
    for (const { name: namespace, tools: grouped } of namespacesIn(tools))
      for (const { name } of fieldsIn(grouped)) this.inChat(textOf(name), namespace);
  }

  /** Returns the function's name in a chat. */
  inChat(name: string, namespace: unknown): string {
    if (typeof namespace !== 'string' || namespace === '') return name;
    const key = JSON.stringify([namespace, name]);
    const known = this.#given.get(key);
    if (known !== undefined) return known;
    const given = this.#freeName(`${namespace}__${name}`, key);
    this.#given.set(key, given);
    this.#owners.set(given, { name, namespace });
    return given;
  }

  /** Returns the function with this name in a chat. */
  called(chatName: string): FunctionName {
    return this.#owners.get(chatName) ?? { name: chatName };
  }

  #freeName(readable: string, key: string): string {
    let name = readable;
    for (let round = 0; !CHAT_NAME.test(name) || this.#owners.has(name); round += 1) {
      const hash = createHash('sha256').update(`${key}${round}`).digest('hex').slice(0, 8);
      name = `${readable.replaceAll(/[^\w-]/g, '_').slice(0, MAX_READABLE)}_${hash}`;
    }
    return name;
  }
}

/** Returns the namespaces among the tools of a responses request. */
export function namespacesIn(tools: unknown): Fields[] {
  return fieldsIn(tools).filter(({ type }) => type === 'namespace');
}
