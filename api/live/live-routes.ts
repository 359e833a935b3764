import type { liveOperations } from '../../contract/live/live-operations.ts';
import type { Route } from '../http/route.ts';
import { createChatCompletion } from './chat/create-chat-completion.ts';
import { createCompletion } from './completions/create-completion.ts';
import { createEmbeddings } from './embeddings/create-embeddings.ts';
import { createMessage } from './messages/create-message.ts';
import { countMessageTokens } from './messages/count-message-tokens.ts';
import { createImageGenerations, createImages } from './images/create-images.ts';
import { createResponse } from './responses/create-response.ts';
import { createSpeech } from './speech/create-speech.ts';
import { createCohereRerank } from './rerank/create-cohere-rerank.ts';
import { createRerank } from './rerank/create-rerank.ts';

/** Answers the operations for which a model runs while the caller waits. */
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
} satisfies Record<keyof typeof liveOperations, Route>;
