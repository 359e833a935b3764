/** Puts one string into each place of a request where the published description takes one. */
type Json = Record<string, unknown>;

/** A JSON schema of the description. */
type Schema = Json & {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  default?: unknown;
  examples?: unknown[];
};

/** A value with one string in it, and the place of the string. */
export type Mutant = [place: string, value: unknown];

/** Schemas that contain themselves are followed no deeper. */
const MAX_DEPTH = 7;

export interface ContractStrings {
  /**
   * Yields copies of the example, each with the string in another place: every text, every name in an object of free
   * names, and a field that the description does not know. The rest of each copy is valid.
   */
  mutants(schema: unknown, example: unknown, string: string): Generator<Mutant>;
  resolve(schema: unknown): Schema;
}

export function createContractStrings(document: Json): ContractStrings {
  const resolve = (schema: unknown): Schema => resolveIn(document, schema);
  const sample = createSampler(resolve);

  function* mutants(given: unknown, example: unknown, string: string, depth = 0): Generator<Mutant> {
    const schema = resolve(given);
    if (depth > MAX_DEPTH) return;
    for (const branch of branchesOf(schema)) yield* mutants(branch, example, string, depth + 1);
    const takes = (type: string) => [schema.type ?? []].flat().includes(type);
    if (takes('string')) yield ['', inForm(schema, string)];
    if (takes('array')) {
      const [first] = Array.isArray(example) ? (example as unknown[]) : [];
      for (const [place, value] of mutants(schema.items ?? {}, first, string, depth + 1))
        yield [`.0${place}`, [value]];
    }
    if (takes('object')) yield* ofObject(schema, example, string, depth);
    const isAnything = schema.type === undefined && branchesOf(schema).length === 0;
    if (isAnything)
      yield* [['', string] as Mutant, ['.*', { a: string }] as Mutant, ['.key', { [string]: 1 }] as Mutant];
  }

  function* ofObject(schema: Schema, example: unknown, string: string, depth: number): Generator<Mutant> {
    const base = isJson(example) ? example : (sample(schema) as Json);
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      for (const [place, value] of mutants(property, base[name], string, depth + 1))
        yield [`.${name}${place}`, { ...base, [name]: value }];
    }
    const { additionalProperties: others = true } = schema;
    if (others === false) return;
    yield ['.key', { ...base, [string]: isJson(others) ? sample(others as Schema) : 'x' }];
    const unknown = isJson(others) ? mutants(others, undefined, string, depth + 1) : [['', string] as Mutant];
    for (const [place, value] of unknown) yield [`.*${place}`, { ...base, an_unknown_field: value }];
  }

  return { mutants, resolve };
}

/** Returns a schema with what it refers to. */
function resolveIn(document: Json, schema: unknown): Schema {
  const { $ref, ...own } = schema as Schema;
  if (typeof $ref !== 'string') return own;
  let found: unknown = document;
  for (const name of $ref.slice(2).split('/')) found = (found as Json)[name];
  return { ...resolveIn(document, found), ...own };
}

/** Returns a function that makes the least that a schema takes. */
function createSampler(resolve: ContractStrings['resolve']) {
  const sample = (given: unknown, depth = 0): unknown => {
    const schema = resolve(given);
    if ('const' in schema) return schema.const;
    const [known = schema.enum?.[0] ?? schema.default] = schema.examples ?? [];
    if (known !== undefined) return known;
    const [branch] = branchesOf(schema);
    if (branch !== undefined && depth < MAX_DEPTH) return sample(branch, depth + 1);
    switch ([schema.type ?? []].flat()[0]) {
      case 'string':
        return inForm(schema, 'x');
      case 'integer':
      case 'number':
        return 1;
      case 'boolean':
        return false;
      case 'array':
        return depth < MAX_DEPTH ? [sample(schema.items ?? {}, depth + 1)] : [];
      case 'object':
        return Object.fromEntries(
          (schema.required ?? []).map((name) => [name, sample(schema.properties?.[name] ?? {}, depth + 1)]),
        );
      default:
        return null;
    }
  };
  return sample;
}

/** Yields copies of a value, each with the string at the end of another text, or as another name, in it. */
export function* leafMutants(value: unknown, string: string): Generator<Mutant> {
  if (typeof value === 'string') yield ['', value + string];
  if (typeof value !== 'object' || value === null) return;
  const entries = Object.entries(value);
  if (!Array.isArray(value)) yield ['.key', { ...value, [string]: entries[0]?.[1] ?? 'x' }];
  for (const [name, inner] of entries) {
    for (const [place, changed] of leafMutants(inner, string)) {
      const copy: unknown = Array.isArray(value)
        ? value.with(Number(name), changed)
        : { ...value, [name]: changed };
      yield [`.${name}${place}`, copy];
    }
  }
}

function branchesOf({ anyOf = [], oneOf = [], allOf = [] }: Schema): Schema[] {
  return [...anyOf, ...oneOf, ...allOf];
}

/** Returns the string in the form of a schema, as far as a string of any kind can have it. */
function inForm({ format }: Schema, string: string): string {
  if (format === 'uri') return `http://127.0.0.1:1/${string}`;
  return format === 'email' ? `${string}@people.example` : string;
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
