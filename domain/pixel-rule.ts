/** Describes the picture and video sizes that an endpoint makes, and writes the errors for other sizes. */
import type { Issue } from './errors.ts';
import { formatSize, isSameSize, type Shape, type Size } from './pixel-size.ts';

/** Describes the pixels that an endpoint makes. Lists of models show this rule, and requests are checked against it. */
export interface PixelRule {
  /** Every supported size; null if they cannot be listed, or if there are none. */
  sizes: string[] | null;
  /** Completes the sentence "size must be"; null if the endpoint takes no size. */
  sizeDescription: string | null;
  /**
   * Returns these pixels with the endpoint's names for them, preferring the names in the request. Returns undefined if
   * the endpoint does not make the pixels.
   */
  shapeOf(size: Size, names: Names): NamedShape | { size: Size } | undefined;
}

export type Names = Pick<Shape, 'resolution' | 'aspectRatio'>;
export type NamedShape = { [Part in keyof Shape]-?: NonNullable<Shape[Part]> };

/** Builds the rule of an endpoint that takes the listed sizes, and the sizes of its names by `rounding`. */
export function ruleOfLists(listed: readonly string[], named: NamedShape[], rounding: string): PixelRule {
  const sizes = [...new Set([...listed, ...named.map(({ size }) => formatSize(size))])];
  const ofNames = `the pixels of a resolution and an aspect_ratio, ${rounding}`;
  const origin = named.length === 0 ? '' : `: ${listed.length > 0 ? 'sizes of its own, and ' : ''}${ofNames}`;
  return {
    sizes: sizes.length === 0 ? null : sizes,
    sizeDescription: sizes.length === 0 ? null : `one of ${shorten(sizes)}${origin}`,
    shapeOf(size, names) {
      const same = named.filter((shape) => isSameSize(shape.size, size));
      const agreeing = same.find(({ resolution, aspectRatio }) => {
        const { resolution: tier = resolution, aspectRatio: ratio = aspectRatio } = names;
        return tier === resolution && ratio === aspectRatio;
      });
      return agreeing ?? same[0] ?? (listed.includes(formatSize(size)) ? { size } : undefined);
    },
  };
}

/** Returns the issue for an unsupported size, which lists the supported ones. */
export function sizeIssue({ sizeDescription }: PixelRule): Issue {
  return {
    path: 'body.size',
    message: sizeDescription === null ? 'is not supported by this model' : `must be ${sizeDescription}`,
  };
}

/** Returns the issue for a name that does not match the pixels beside it, with the pixels that the name makes. */
export function nameIssue(path: string, name: string, size: Size, made: readonly Size[]): Issue {
  const sizes = [...new Set(made.map(formatSize))];
  return { path, message: `must match the size ${formatSize(size)}: ${name} makes ${shorten(sizes)}` };
}

const MAX_SHOWN = 8;

function shorten(sizes: readonly string[]): string {
  const shown = sizes.slice(0, MAX_SHOWN).join(', ');
  return sizes.length <= MAX_SHOWN ? shown : `${shown} … (${sizes.length} in all)`;
}
