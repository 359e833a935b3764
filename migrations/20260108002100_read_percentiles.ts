import type { Knex } from 'knex';

/**
 * The value below which that share lies, from the counts of a histogram's buckets (domain/ledger/histogram.ts), which add up
 * to `total`. Evenly spread within a bucket; what is in the last one, which has no end, counts as its beginning. Null
 * when all is empty. A function, since a query of the same cost takes five times as long.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create function histogram_percentile(counts float8[], bounds integer[], total float8, share float8)
      returns float8 language plpgsql immutable strict parallel safe as $$
      declare
        rank float8 := share * total;
        upto float8 := 0;
        lower float8 := 0;
      begin
        for n in 1 .. array_length(counts, 1) loop
          upto := upto + counts[n];
          if counts[n] > 0 and upto >= rank then
            return lower + (coalesce(bounds[n], lower) - lower) * (rank - upto + counts[n]) / counts[n];
          end if;
          lower := coalesce(bounds[n], lower);
        end loop;
        return null;
      end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw('drop function histogram_percentile(float8[], integer[], float8, float8)');
}
