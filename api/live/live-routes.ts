import { createChatCompletion } from './create-chat-completion.ts';
import { createCompletion } from './create-completion.ts';
import { createEmbeddings } from './create-embeddings.ts';
import { createMessage } from './create-message.ts';
import { countMessageTokens } from './count-message-tokens.ts';
import { createImageGenerations, createImages } from './create-images.ts';
import { createResponse } from './create-response.ts';
import { createSpeech } from './create-speech.ts';
import { createCohereRerank } from './create-cohere-rerank.ts';
import { createRerank } from './create-rerank.ts';

/** Lists the routes of the operations for which a model runs while the caller waits. */
export const liveRoutes = {
  createChatCompletion,
  createCompletion,
  createMessage,
  countMessageTokens,
  createResponse,
  createEmbeddings,
  createRerank,
  createCohereRerank,
  createImages,
  createImageGenerations,
  createSpeech,
};
