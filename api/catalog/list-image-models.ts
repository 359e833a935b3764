/** Handles `GET /images/models`: lists the models that generate images. */
import { operations } from '../../contract/operations.ts';
import { API_BASE } from '../http/base-path.ts';
import { presentImageModel } from './present-image-model.ts';
import { defineRoute } from '../http/route.ts';

export const listImageModels = defineRoute(
  operations.listImageModels,
  async (_call, { services, settings }) => {
    const data = services.images.models().map((model) => {
      const path = model.id.split('/').map(encodeURIComponent).join('/');
      const url = `${settings.publicUrl}${API_BASE}/images/models/${path}/endpoints`;
      return presentImageModel(model, url);
    });
    return { status: 200, body: { data } };
  },
);
