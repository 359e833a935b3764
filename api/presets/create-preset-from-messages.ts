/** Handles `POST /presets/{slug}/messages`: stores the settings and system prompt of a messages request as a preset. */
import { operations } from '../../contract/operations.ts';
import { configOf, messagesDialect } from '../../domain/presets/preset-dialects.ts';
import { systemPromptOf } from '../../domain/presets/preset-prompt.ts';
import { defineRoute } from '../http/route.ts';
import { savePreset } from './save-preset.ts';

const operation = operations.createPresetFromMessages;

export const createPresetFromMessages = defineRoute(operation, (call, api) =>
  savePreset(call, api, operation.id, {
    config: configOf(messagesDialect, call.body),
    systemPrompt: systemPromptOf(call.body.system),
  }),
);
