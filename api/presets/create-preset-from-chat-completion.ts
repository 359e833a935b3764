/**
 * Handles `POST /presets/{slug}/chat/completions`: stores the settings and system prompt of a chat request as a preset.
 */
import { operations } from '../../contract/operations.ts';
import { chatDialect, configOf } from '../../domain/presets/preset-dialects.ts';
import { systemPromptOfChat } from '../../domain/presets/preset-prompt.ts';
import { defineRoute } from '../http/route.ts';
import { savePreset } from './save-preset.ts';

const operation = operations.createPresetFromChatCompletion;

export const createPresetFromChatCompletion = defineRoute(operation, (call, api) =>
  savePreset(call, api, operation.id, {
    config: configOf(chatDialect, call.body),
    systemPrompt: systemPromptOfChat(call.body.messages),
  }),
);
