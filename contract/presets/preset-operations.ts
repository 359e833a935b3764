import {
  createPresetFromMessages,
  createPresetFromChatCompletion,
  createPresetFromResponse,
  listPresets,
  getPreset,
  listPresetVersions,
  getPresetVersion,
  updatePreset,
  deletePreset,
} from './presets.ts';

/** Lists the operations on presets. */
export const presetOperations = {
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
