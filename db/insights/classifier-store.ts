/** Stores classifiers of workspaces, and the tags that customers put on generations. */
import type { Classifier, ClassifierChanges, Tag } from '../../domain/insights/classifier.ts';
import { newUuid, timestampOfId } from '../../domain/ids.ts';
import type { Handle } from '../postgres/connection.ts';
import { countRows, firstRow, oneRow } from '../postgres/results.ts';
import { bool, columnsOf, selectList, text, timestamptz, uuid } from '../postgres/shape.ts';
import { rowsOf, run, tables } from '../postgres/statement.ts';

export interface NewClassifier {
  workspaceId: string;
  name: string;
  description: string | null;
  isActive: boolean;
}

export interface ClassifierPage {
  limit: number;
  offset: number;
  includeInactive: boolean;
}

const CLASSIFIER = {
  id: uuid,
  workspaceId: uuid,
  name: text,
  description: text.orNull,
  isActive: bool,
  createdAt: timestamptz,
  updatedAt: timestamptz,
};
const COLUMNS = selectList(CLASSIFIER);

const OF_ORGANIZATION = `
  from classifiers c join workspaces w on w.id = c.workspace_id
  where w.organization_id = :organizationId`;

/** SQL: the workspace is not deleted. With a lock after it, the query waits for a running deletion. */
const LIVING = 'and w.deleted_at is null';

/**
 * Stores classifiers and their tags. An organization sees only its own; those of deleted workspaces can only be read.
 */
export function createClassifierStore(handle: Handle) {
  return {
    ...classifierReads(handle),
    ...classifierTags(handle),

    /**
     * Inserts a classifier. The caller holds the workspace's lock, so that creation times follow the order of commits
     * and a new one appears on the last page.
     */
    insert: ({ workspaceId, name, description, isActive }: NewClassifier): Promise<Classifier> =>
      oneRow(
        handle,
        CLASSIFIER,
        `insert into classifiers (id, workspace_id, name, description, is_active, created_at, updated_at)
         select :id::uuid, :workspaceId::uuid, :name, :description, :isActive::boolean, now, now
         from clock_timestamp() now returning ${COLUMNS}`,
        { id: newUuid(), workspaceId, name, description, isActive },
      ),

    async update(id: string, { name, description, isActive }: ClassifierChanges): Promise<Classifier> {
      const columns = { ...columnsOf({ name, description, isActive }), updated_at: tables.raw('now()') };
      const updating = tables('classifiers').where({ id }).update(columns).returning(tables.raw(COLUMNS));
      return oneRow(handle, CLASSIFIER, updating);
    },
  };
}

export type ClassifierStore = ReturnType<typeof createClassifierStore>;

/** Builds the methods that read classifiers. */
function classifierReads(handle: Handle) {
  return {
    find: (organizationId: string, id: string) => findWhere(handle, organizationId, id, ''),

    /** Returns a classifier and locks it until the commit. Null if it does not exist, or its workspace is deleted. */
    lock: (organizationId: string, id: string) =>
      findWhere(handle, organizationId, id, `${LIVING} for key share of w for no key update of c`),

    /**
     * Returns a classifier and prevents the deletion of its workspace until the commit. Null if it does not exist, or
     * its workspace is deleted.
     */
    hold: (organizationId: string, id: string) =>
      findWhere(handle, organizationId, id, `${LIVING} for key share of w`),

    /** Lists classifiers, the oldest first, so that a new one does not move others to another page. */
    async list(
      workspaceId: string,
      { limit, offset, includeInactive }: ClassifierPage,
    ): Promise<{ classifiers: Classifier[]; totalCount: number }> {
      const listed = `from classifiers where workspace_id = :workspaceId${includeInactive ? '' : ' and is_active'}`;
      const classifiers = await rowsOf(
        handle,
        CLASSIFIER,
        `select ${COLUMNS} ${listed} order by created_at, id limit :limit offset :offset`,
        { workspaceId, limit, offset },
      );
      return { classifiers, totalCount: await countRows(handle, listed, { workspaceId }) };
    },
  };
}

/** Builds the methods that tag generations. */
function classifierTags(handle: Handle) {
  return {
    /** Returns the ids of those generations that exist in the workspace. */
    async generationsOf(workspaceId: string, ids: readonly string[]): Promise<Set<string>> {
      if (ids.length === 0) return new Set();
      const times = ids.map((id) => new Date(timestampOfId(id)));
      const rows = await rowsOf(
        handle,
        { id: text },
        `select g.id from unnest(:times::timestamptz[], :ids::text[]) requested (created_at, id)
         join generations g on g.created_at = requested.created_at and g.id = requested.id
         where g.workspace_id = :workspaceId and g.created_at between :earliest and :latest`,
        { times, ids, workspaceId, earliest: earliest(times), latest: latest(times) },
      );
      return new Set(rows.map(({ id }) => id));
    },

    /** Adds tags and returns the number of new ones. */
    addTags: (classifierId: string, tags: readonly Tag[]): Promise<number> =>
      run(
        handle,
        `insert into classifier_tags (classifier_id, created_at, generation_id, dimension, value)
         select :classifierId::uuid, * from unnest(:times::timestamptz[], :ids::text[], :dimensions::text[], :values::text[])
         order by 1, 2, 3, 4, 5
         on conflict do nothing`,
        {
          classifierId,
          times: tags.map(({ generationId }) => new Date(timestampOfId(generationId))),
          ids: tags.map(({ generationId }) => generationId),
          dimensions: tags.map(({ dimension }) => dimension),
          values: tags.map(({ value }) => value),
        },
      ),
  };
}

async function findWhere(
  handle: Handle,
  organizationId: string,
  id: string,
  rest: string,
): Promise<Classifier | null> {
  const statement = `select ${selectList(CLASSIFIER, 'c')} ${OF_ORGANIZATION} and c.id = :id ${rest}`;
  return firstRow(handle, CLASSIFIER, statement, { organizationId, id });
}

/**
 * Returns the earliest time. Statements need a range in addition to their list of times, because the planner does not
 * use lists to skip partitions.
 */
function earliest(times: readonly Date[]): Date {
  return new Date(Math.min(...times.map(Number)));
}

function latest(times: readonly Date[]): Date {
  return new Date(Math.max(...times.map(Number)));
}
