/** Finds the fields of a request that name objects stored at a vendor, or addresses that a vendor would call. */
import { NOT_SENT_UPSTREAM } from '../../../domain/gateway-fields.ts';
import type { Issue } from '../../../domain/errors.ts';
import { type Fields, isFields } from '../dialects/fields.ts';
import { URL_FIELDS } from '../prompt/media-fields.ts';
import {
  HOLDERS_OF_ID,
  isAddressName,
  isFreeForm,
  isIdName,
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

/** The parts of a request that are searched. */
type SearchedBody = Readonly<Record<string, unknown>> & {
  provider?: { options?: Readonly<Record<string, unknown>> | null | undefined } | null | undefined;
};

/**
 * Returns the references in a request in any dialect, and in its options for single providers. Each issue has the path
 * of a field. Fields that no provider receives are not searched.
 */
export function findReferences(body: SearchedBody): Issue[] {
  const search = new Search();
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
  #path: (string | number)[] = [];

  request(fields: unknown, path: string[]): void {
    if (!isFields(fields)) return;
    this.#path = path;
    for (const name of ['system', 'instructions'] as const) this.#systemText(fields, name);
    for (const name in fields) if (!NOT_SENT_UPSTREAM.has(name)) this.#field(fields, name, false, true);
  }

  #any(value: unknown, isTool: boolean): void {
    if (Array.isArray(value)) {
      // Without an iterator: lists of numbers may be long, and hold no fields.
      for (let index = 0; index < value.length; index += 1) {
        const item: unknown = value[index];
        if (typeof item !== 'object' || item === null) continue;
        this.#path.push(index);
        this.#any(item, isTool);
        this.#path.pop();
      }
    } else if (isFields(value)) {
      this.#item(value);
      for (const name in value) this.#field(value, name, isTool);
    }
  }

  /** Searches a field. `isRequest`: of the request itself, or of the options for a provider. */
  #field(holder: Fields, name: string, isTool: boolean, isRequest = false): void {
    const value = holder[name];
    if (isEmpty(value)) return;
    if (PLAIN_FIELDS.has(name) && typeof value !== 'object') return;
    const plain = toSnakeCase(name);
    // `file_iD` is `file_id` to a server that ignores case.
    const other = plain === name ? undefined : kindOf(name.toLowerCase(), value, isTool);
    const kind = kindOf(plain, value, isTool) ?? other;
    if (kind !== undefined) return this.#add(kind, name);
    if (typeof value !== 'object' || isFreeForm(plain, holder, isRequest)) return;
    if (HOLDERS_OF_ID.has(plain) && isFields(value) && isName(value['id'])) this.#add('object', name, 'id');
    this.#path.push(name);
    this.#any(value, isTool || HOLDERS_OF_TOOLS.has(name));
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

  #add(kind: ReferenceKind, ...names: string[]): void {
    if (this.issues.length >= MAX_ISSUES) return;
    this.issues.push({ path: [...this.#path, ...names].join('.'), message: MESSAGES[kind] });
  }
}

function kindOf(name: string, value: unknown, isTool: boolean): ReferenceKind | undefined {
  const listed = KIND_OF_NAME.get(name);
  if (listed !== undefined) return listed;
  // Other operations have a `prompt` that is text.
  if (name === 'prompt') return isFields(value) && isName(value['id']) ? 'prompt' : undefined;
  const kind = kindByPattern(name, isTool);
  if (kind === undefined) return undefined;
  return isName(value) || (Array.isArray(value) && value.some(isName)) ? kind : undefined;
}

/** Returns the kind of a field that is not listed. No media URL is an address in this sense. */
function kindByPattern(name: string, isTool: boolean): ReferenceKind | undefined {
  if (isIdName(name)) return 'object';
  if (isTool && name === 'url') return 'address';
  return isAddressName(name) && !URL_FIELD_NAMES.has(name) ? 'address' : undefined;
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
