import { AppError } from '../../domain/errors.ts';
import { UUID_PATTERN } from '../../domain/ids.ts';

/** Rejects text that cannot be an id with a 404, before the body is read. */
export const admitEndpointId = {
  admit({ params }: { params: { id: string } }): void {
    if (!UUID_PATTERN.test(params.id)) throw new AppError('not_found');
  },
};
