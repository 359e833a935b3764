import { createPresetFromChatCompletion } from './create-preset-from-chat-completion.ts';
import { createPresetFromMessages } from './create-preset-from-messages.ts';
import { createPresetFromResponse } from './create-preset-from-response.ts';
import { deletePreset } from './delete-preset.ts';
import { getPresetVersion } from './get-preset-version.ts';
import { getPreset } from './get-preset.ts';
import { listPresetVersions } from './list-preset-versions.ts';
import { listPresets } from './list-presets.ts';
import { updatePreset } from './update-preset.ts';

/** Lists the routes of the operations on presets. */
export const presetRoutes = {
  createPresetFromMessages,
  createPresetFromChatCompletion,
  createPresetFromResponse,
  listPresets,
  getPreset,
  listPresetVersions,
  getPresetVersion,
  updatePreset,
  deletePreset,
};
