/** Defines how deep and how large the JSON of a request body may be. */
import type { OperationDefinition } from '../../../contract/operation.ts';

/** Limits the structure of one request body. */
export interface JsonLimits {
  /** The deepest nesting of lists and objects. */
  maxDepth: number;
  /** The most objects and lists in all. */
  maxObjects: number;
  /** The most commas outside of strings: about the number of fields and list entries in all. */
  maxCommas: number;
  /** The most entries in any one list or object. */
  maxEntries: number;
}

/** The deepest nesting of any body: the gateway serializes bodies for providers recursively. */
const MAX_DEPTH = 200;

/**
 * The most objects and lists in any body. An object takes two bytes of JSON, and about a hundred times as much memory.
 */
const MAX_OBJECTS = 300_000;

/**
 * The most entries of a list or object, unless the operation sets another limit. Validating this many is still fast.
 */
const DEFAULT_MAX_ENTRIES = 1_000;

type Structure = Omit<JsonLimits, 'maxEntries'>;

/** The limits for configuration, which has a few thousand parts at most. */
const USUAL: Structure = { maxDepth: MAX_DEPTH, maxObjects: 20_000, maxCommas: 20_000 };

/** The limits for generations. Conversations and inputs of embeddings may have far more parts. */
const GENERATION: Structure = { maxDepth: MAX_DEPTH, maxObjects: MAX_OBJECTS, maxCommas: Infinity };

/**
 * The limits for SCIM, whose resources nest four levels deep, beside extensions. A group of 100,000 members has an
 * object of up to five fields for each.
 */
const SCIM: Structure = { maxDepth: 20, maxObjects: MAX_OBJECTS, maxCommas: 1_000_000 };

/** Returns the limits for the bodies of an operation. */
export function jsonLimitsOf({ body }: OperationDefinition): JsonLimits {
  return { ...structureOf(body?.limit), maxEntries: body?.maxEntries ?? DEFAULT_MAX_ENTRIES };
}

function structureOf(limit: NonNullable<OperationDefinition['body']>['limit'] | undefined): Structure {
  switch (limit) {
    case 'scim':
      return SCIM;
    // Daemon signing ignores unknown fields, so a request may have any number of them.
    case 'sign':
    case 'generation':
      return GENERATION;
    default:
      return USUAL;
  }
}
