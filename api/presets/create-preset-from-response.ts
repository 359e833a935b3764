/**
 * Handles `POST /presets/{slug}/responses`: stores the settings and instructions of a responses request as a preset.
 */
import { operations } from '../../contract/operations.ts';
import { configOf, responsesDialect } from '../../domain/presets/preset-dialects.ts';
import { systemPromptOf } from '../../domain/presets/preset-prompt.ts';
import { defineRoute } from '../http/route.ts';
import { savePreset } from './save-preset.ts';

const operation = operations.createPresetFromResponse;

export const createPresetFromResponse = defineRoute(operation, (call, api) =>
  savePreset(call, api, operation.id, {
    config: configOf(responsesDialect, call.body),
    systemPrompt: systemPromptOf(call.body.instructions),
  }),
);
