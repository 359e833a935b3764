/** Converts and checks the input of an embeddings request for Cohere. */
import type { Issue } from '../../domain/errors.ts';
import type { Fields } from '../../domain/fields.ts';
import { brokenRule } from '../../domain/provider-error.ts';
import type { CallContext } from '../call-context.ts';
import { inlinePictures } from '../inline-pictures.ts';
import { toInputType } from '../input-types.ts';
import type { OutboundFetch } from '../reference-media.ts';

/** Cohere's limit for one call, for texts and for inputs with parts. */
const MAX_INPUTS = 96;
/** The most issues that are reported. */
const MAX_ISSUES = 50;

/** The input of an embeddings call, in one of the two forms that Cohere takes. */
export interface EmbedInput {
  fields: { texts: string[] } | { inputs: { content: EmbedPart[] }[] };
  count: number;
}

type EmbedPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

const INPUT_TYPES = { query: 'search_query', document: 'search_document' };

/**
 * Returns the body for an embeddings request: `dimensions` is called `output_dimension`, and `encoding_format` is one
 * of `embedding_types`. Cohere requires an input type, and most embedded text is stored for search.
 */
export function toEmbedBody(request: Fields, { fields }: EmbedInput, format: 'float' | 'base64'): object {
  const { input: _, encoding_format: __, dimensions, input_type: type, ...rest } = request;
  return {
    ...rest,
    ...fields,
    input_type: toInputType(type, INPUT_TYPES) ?? type ?? INPUT_TYPES.document,
    embedding_types: [format],
    ...(dimensions === undefined || dimensions === null ? {} : { output_dimension: dimensions }),
  };
}

const FOR_THIS_MODEL = 'for the provider of this model';

/** Returns the issues of an embeddings request's `input`: Cohere takes no tokens, no sound, and at most 96 items. */
export function embedIssues(input: unknown): Issue[] {
  const items: unknown[] = Array.isArray(input) ? input : [input];
  const path = 'body.input';
  if (items.some((item) => typeof item === 'number' || Array.isArray(item)))
    return [{ path, message: `must be text or parts, not tokens, ${FOR_THIS_MODEL}` }];
  const issues: Issue[] = [];
  if (items.length > MAX_INPUTS)
    issues.push({ path, message: `must be at most ${MAX_INPUTS} ${FOR_THIS_MODEL}` });
  for (const [position, item] of items.entries()) {
    if (typeof item === 'string') continue;
    for (const [index, part] of partsOf(item).entries()) {
      if (toPart(part) !== undefined || issues.length >= MAX_ISSUES) continue;
      const message = `must be text or a picture, not ${part.type}, ${FOR_THIS_MODEL}`;
      issues.push({ path: `${path}.${position}.content.${index}`, message });
    }
  }
  return issues;
}

/** Converts the `input` of an embeddings request to Cohere's form. Unsupported input is rejected before any request. */
export async function toEmbedInput(
  input: unknown,
  outbound: OutboundFetch,
  context: CallContext,
): Promise<EmbedInput> {
  const [issue] = embedIssues(input);
  if (issue !== undefined) throw brokenRule(issue);
  const items: unknown[] = Array.isArray(input) ? input : [input];
  const count = items.length;
  if (items.every((item) => typeof item === 'string')) return { fields: { texts: items }, count };
  const inputs = items.map((item) => ({
    content: partsOf(item).flatMap((part) => toPart(part) ?? []),
  }));
  await inlineUrls(inputs, outbound, context);
  return { fields: { inputs }, count };
}

interface GivenPart {
  type: string;
  text?: unknown;
  image_url?: unknown;
}

function partsOf(item: unknown): GivenPart[] {
  return (item as { content: GivenPart[] }).content;
}

function toPart({ type, text, image_url: image }: GivenPart): EmbedPart | undefined {
  if (type === 'text' && typeof text === 'string') return { type, text };
  const url = typeof image === 'string' ? image : (image as { url?: unknown } | null | undefined)?.url;
  return type === 'image_url' && typeof url === 'string' ? { type, image_url: { url } } : undefined;
}

/** Replaces URLs of pictures by data URLs, because Cohere takes no other URLs. */
async function inlineUrls(
  inputs: readonly { content: EmbedPart[] }[],
  outbound: OutboundFetch,
  context: CallContext,
): Promise<void> {
  const pictures = inputs.flatMap(({ content }, position) =>
    content.flatMap((part, index) => {
      const field = `input.${position}.content.${index}.image_url.url`;
      return part.type === 'image_url' ? [{ part, url: part.image_url.url, field }] : [];
    }),
  );
  const inlined = await inlinePictures(pictures, outbound, context);
  for (const [i, url] of inlined.entries()) pictures[i]!.part.image_url.url = url;
}
