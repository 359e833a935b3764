/** Finds the fields of a request that name objects stored at a vendor, or addresses that a vendor would call. */
import { NOT_SENT_UPSTREAM } from '../../../domain/gateway-fields.ts';
import type { Issue } from '../../../domain/errors.ts';
import { type Fields, isFields } from '../../../domain/fields.ts';
import { holdsText, MEDIUM_OF_FIELD, URL_FIELDS } from '../prompt/media-fields.ts';
import type { UrlPlace } from '../urls/url-places.ts';
import {
  HOLDERS_OF_ID,
  isAddressName,
  isConversation,
  isFreeForm,
  isIdName,
  isNote,
  KIND_OF_NAME,
  MESSAGES,
  type ReferenceKind,
} from './reference-names.ts';

const MAX_ISSUES = 50;

const URL_FIELD_NAMES: ReadonlySet<string> = new Set(URL_FIELDS.map(([name]) => name));

/** Fields that are in most requests and name nothing while they hold one value. They are skipped to save time. */
const PLAIN_FIELDS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'type',
  'text',
  'model',
  'stream',
  'temperature',
  'max_tokens',
]);

/** Fields that hold tools: those of a request or of an item, and one that Anthropic's `tool_addition` adds. */
const HOLDERS_OF_TOOLS: ReadonlySet<string> = new Set(['tools', 'definition']);

/**
 * The kind of object that holds a field. A server may call the URL in any field of a `request`, a `part` or a `medium`.
 * In a `setting`, such as a tool, the names of fields tell what is called. In a `note`, only media are.
 */
type Scope = 'request' | 'part' | 'medium' | 'setting' | 'note';

/** The parts of a request that are searched. */
type SearchedBody = Readonly<Record<string, unknown>> & {
  provider?: { options?: Readonly<Record<string, unknown>> | null | undefined } | null | undefined;
};

/**
 * Returns the references in a request in any dialect, and in its options for single providers. Each issue has the path
 * of a field. Fields that no provider receives are not searched. `fetched` are the places of URLs that the gateway
 * checks, and fetches where needed.
 */
export function findReferences(body: SearchedBody, fetched: readonly UrlPlace[] = []): Issue[] {
  const search = new Search(fetched);
  search.request(body, ['body']);
  const options = body.provider?.options;
  for (const slug in options) search.request(options[slug], ['body', 'provider', 'options', slug]);
  return search.issues;
}

/** Returns references together with other issues of a request. A field that has both is named once. */
export function withReferences(references: readonly Issue[], issues: readonly Issue[]): Issue[] {
  const named = new Set(references.map(({ path }) => path));
  return [...references, ...issues.filter(({ path }) => !named.has(path))];
}

/** Walks through JSON, and remembers where it is. */
class Search {
  readonly issues: Issue[] = [];
  readonly #fetched: readonly UrlPlace[];
  #fetchedPaths: ReadonlySet<string> | undefined;
  #path: (string | number)[] = [];

  constructor(fetched: readonly UrlPlace[]) {
    this.#fetched = fetched;
  }

  request(fields: unknown, path: string[]): void {
    if (!isFields(fields)) return;
    this.#path = path;
    for (const name of ['system', 'instructions'] as const) this.#systemText(fields, name);
    for (const name in fields) if (!NOT_SENT_UPSTREAM.has(name)) this.#field(fields, name, 'request');
  }

  #any(value: unknown, scope: Scope, isCalled?: JudgeOfTexts): void {
    if (Array.isArray(value)) {
      // Without an iterator: lists of numbers may be long, and hold no fields.
      for (let index = 0; index < value.length; index += 1) {
        const item: unknown = value[index];
        if (typeof item === 'string' && isCalled?.(item)) this.#addAddress(index);
        if (typeof item !== 'object' || item === null) continue;
        this.#path.push(index);
        this.#any(item, scope, isCalled);
        this.#path.pop();
      }
    } else if (isFields(value)) {
      this.#item(value);
      for (const name in value) this.#field(value, name, scope);
    }
  }

  #field(holder: Fields, name: string, scope: Scope): void {
    const value = holder[name];
    if (isEmpty(value)) return;
    if (PLAIN_FIELDS.has(name) && typeof value !== 'object') return;
    const plain = toSnakeCase(name);
    // `file_iD` is `file_id` to a server that ignores case.
    const other = plain === name ? undefined : kindOf(name.toLowerCase(), value, scope);
    const kind = kindOf(plain, value, scope) ?? other;
    if (kind !== undefined) return this.#add(kind, name);
    const isCalled = judgeOfTexts(holder, plain, scope);
    if (typeof value === 'string') {
      if (isCalled?.(value)) this.#addAddress(name);
      return;
    }
    if (typeof value !== 'object' || isFreeForm(plain, holder, scope === 'request')) return;
    if (HOLDERS_OF_ID.has(plain) && isFields(value) && isName(value['id'])) this.#add('object', name, 'id');
    this.#path.push(name);
    this.#any(value, scopeIn(scope, plain), isCalled);
    this.#path.pop();
  }

  /** Adds an object of a conversation that only refers to a stored one. */
  #item(item: Fields): void {
    const { type, role } = item;
    if (type === 'item_reference') this.#add('item', 'type');
    else if (isStoredItem(item)) this.#add('item', 'id');
    if (role === 'system' || role === 'developer') this.#systemText(item, 'content');
  }

  /** Adds a system prompt that consists of ids of files, as Alibaba's Qwen-Long reads them. */
  #systemText(holder: Fields, name: string): void {
    const value = holder[name];
    const texts = Array.isArray(value)
      ? value.map((part: unknown) => isFields(part) && part['text'])
      : [value];
    if (texts.some((text) => typeof text === 'string' && text.includes('fileid://'))) this.#add('file', name);
  }

  /** Adds a URL, unless the gateway fetches it. */
  #addAddress(name: string | number): void {
    this.#fetchedPaths ??= new Set(this.#fetched.map(({ path }) => `body.${path.join('.')}`));
    if (!this.#fetchedPaths.has([...this.#path, name].join('.'))) this.#add('address', name);
  }

  #add(kind: ReferenceKind, ...names: (string | number)[]): void {
    if (this.issues.length >= MAX_ISSUES) return;
    this.issues.push({ path: [...this.#path, ...names].join('.'), message: MESSAGES[kind] });
  }
}

function kindOf(name: string, value: unknown, scope: Scope): ReferenceKind | undefined {
  const listed = KIND_OF_NAME.get(name);
  if (listed !== undefined) return listed;
  // Other operations have a `prompt` that is text.
  if (name === 'prompt') return isFields(value) && isName(value['id']) ? 'prompt' : undefined;
  const kind = kindByPattern(name, scope);
  if (kind === undefined) return undefined;
  return isName(value) || (Array.isArray(value) && value.some(isName)) ? kind : undefined;
}

/** Returns the kind of a field that is not listed. URLs of media are judged by their texts and places. */
function kindByPattern(name: string, scope: Scope): ReferenceKind | undefined {
  if (isIdName(name)) return 'object';
  if (scope === 'setting' && name === 'url') return 'address';
  return isAddressName(name) && !URL_FIELD_NAMES.has(name) ? 'address' : undefined;
}

/** Returns the scope of what stands in a field. */
function scopeIn(scope: Scope, name: string): Scope {
  if (isNote(name)) return 'note';
  if (MEDIUM_OF_FIELD.has(name)) return 'medium';
  if (HOLDERS_OF_TOOLS.has(name)) return 'setting';
  if (scope !== 'request') return scope;
  return isConversation(name) ? 'part' : 'setting';
}

/** Returns whether a server may call a text. */
type JudgeOfTexts = (text: string) => boolean;

/** Returns the judge of the texts in a field; undefined if no server calls any of them. */
function judgeOfTexts(holder: Fields, name: string, scope: Scope): JudgeOfTexts | undefined {
  if (URL_FIELD_NAMES.has(name) || (scope === 'medium' && name === 'url')) return isNoData;
  const mayHoldUrl = (scope !== 'setting' && scope !== 'note') || MEDIUM_OF_FIELD.has(name);
  return mayHoldUrl && !isNote(name) && !holdsText(holder['type'], name) ? hasAddress : undefined;
}

function isNoData(url: string): boolean {
  return url !== '' && !/^\s*data:/i.test(url);
}

function hasAddress(text: string): boolean {
  return /^\s*(?:https?:|[a-z][\w+.-]*:\/\/)/i.test(text);
}

/**
 * Returns whether an item of a responses request has nothing but an id. OpenAI then loads thoughts and pictures from
 * the responses that it stored.
 */
function isStoredItem({ type, id, result, summary, content, encrypted_content: sealed }: Fields): boolean {
  if (!isName(id)) return false;
  if (type === 'image_generation_call') return isEmpty(result);
  return type === 'reasoning' && isEmpty(summary) && isEmpty(content) && isEmpty(sealed);
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  return Array.isArray(value) && value.length === 0;
}

/** Returns the name as most vendors spell it. Google's names are in camel case. */
function toSnakeCase(name: string): string {
  return /[A-Z]/.test(name) ? name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase() : name;
}
