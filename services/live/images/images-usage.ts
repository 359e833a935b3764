/** Shows the usage of pictures under OpenAI's names as well as the gateway's. */
import type { TokenUsage } from '../../../domain/token-usage.ts';
import type { OpenAiUsage } from '../../../providers/chat-adapter.ts';
import type { ShownUsage } from '../token-usage.ts';

/** The split of tokens between text and pictures. */
interface Split {
  text_tokens: number;
  image_tokens: number;
}

/** The usage of pictures under the names of a chat, and also under those of OpenAI's operations on images. */
export type ImagesUsage = ShownUsage & {
  input_tokens: number;
  output_tokens: number;
  /** Absent when the provider counted reference pictures and text as one number. */
  input_tokens_details?: Split | undefined;
  /** Absent when there is no count of tokens. */
  output_tokens_details?: Split | undefined;
};

/**
 * Adds OpenAI's names (openai-node 6.49, `src/resources/images.ts`). `usage` is null when there is no count of tokens,
 * and `counted` is absent when the gateway estimated the tokens.
 */
export function addImageNames(
  shown: ShownUsage,
  usage: TokenUsage | null,
  counted: OpenAiUsage | undefined,
  references: number,
): ImagesUsage {
  const { prompt_tokens: input, completion_tokens: output } = shown;
  const inDetail = counted?.prompt_tokens_details?.['image_tokens'];
  const isInputSplit = references === 0 || counted === undefined || typeof inDetail === 'number';
  return {
    ...shown,
    input_tokens: input,
    output_tokens: output,
    input_tokens_details: isInputSplit ? split(input, usage?.promptImage) : undefined,
    output_tokens_details: usage ? split(output, usage.completionImage) : undefined,
  };
}

function split(all: number, image = 0): Split {
  return { text_tokens: all - image, image_tokens: image };
}
