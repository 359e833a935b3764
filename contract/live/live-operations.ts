import { createChatCompletion } from './chat.ts';
import { createCompletion } from './completions.ts';
import { createCohereRerank } from './cohere-rerank.ts';
import { createEmbeddings } from './embeddings.ts';
import { countMessageTokens, createMessage } from './messages.ts';
import { createImageGenerations, createImages } from './images.ts';
import { createRerank } from './rerank.ts';
import { createSpeech } from './speech.ts';
import { createResponse } from './responses.ts';

/** The operations that a model answers while the caller waits. */
export const liveOperations = {
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
