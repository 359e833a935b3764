import { CHANGE_KINDS, type DirectoryChange } from '../../domain/directory/job.ts';
import type { Handle } from '../postgres/connection.ts';
import { countRows } from '../postgres/results.ts';
import { float8, oneOf, selectList, text, timestamptz, uuid } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';

const CHANGE = {
  n: float8,
  kind: oneOf(CHANGE_KINDS),
  userId: text.orNull,
  personId: uuid.orNull,
  workspaceId: uuid.orNull,
  groupId: uuid.orNull,
  keyHash: text.orNull,
  name: text,
  fromValue: text.orNull,
  toValue: text.orNull,
  createdAt: timestamptz,
};
const COLUMNS = selectList(CHANGE, 'c', { n: 'c.n::float8' });

/** Reads the changes of jobs, in the order in which they were written. */
export function createChangeReadModel(handle: Handle) {
  return {
    async list(
      jobId: string,
      page: { limit: number; offset: number },
    ): Promise<{ changes: DirectoryChange[]; totalCount: number }> {
      const changes = await rowsOf(
        handle,
        CHANGE,
        `select ${COLUMNS} from directory_changes c where job_id = :jobId order by c.n limit :limit offset :offset`,
        { jobId, ...page },
      );
      const totalCount = await countRows(handle, 'from directory_changes where job_id = :jobId', { jobId });
      return { changes, totalCount };
    },
  };
}
