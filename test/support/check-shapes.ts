import { type CheckedResult, type Column, installShapeCheck, type Shape } from '../../db/postgres/shape.ts';

/** Types that migrations create have ids from here on. */
const FIRST_OWN_TYPE = 16_384;

/** Throws when a statement returns other columns than its code states, naming both. */
function checkRows(shape: Shape, statement: string, { fields, rows }: CheckedResult): void {
  const faults = [
    ...Object.keys(shape)
      .filter((name) => !fields.some((field) => field.name === name))
      .map((name) => `lacks the column "${name}"`),
    ...fields.flatMap(({ name, dataTypeID }) => {
      const column = shape[name];
      if (column === undefined) return [`returns a column "${name}" that the shape lacks`];
      return hasType(column, dataTypeID)
        ? valueFaults(name, column, rows)
        : [`returns the type ${dataTypeID} for "${name}", which claims ${column.typeId ?? 'an own type'}`];
    }),
  ];
  if (fields.length > Object.keys(shape).length && faults.length === 0) faults.push('returns a column twice');
  if (faults.length > 0) throw new Error(`A statement ${faults.join(', and ')}:\n${statement}`);
}

function hasType({ typeId }: Column<unknown>, actual: number): boolean {
  return typeId === undefined ? actual >= FIRST_OWN_TYPE : actual === typeId;
}

function valueFaults(name: string, column: Column<unknown>, rows: CheckedResult['rows']): string[] {
  const values = rows.map((row) => row[name]);
  if (!column.isNullable && values.includes(null))
    return [`returns null for "${name}", which claims a value`];
  const other = column.values && values.find((value) => value !== null && !column.values!.includes(value));
  if (other === undefined) return [];
  return [`returns ${JSON.stringify(other)} for "${name}", which claims ${column.values!.join(', ')}`];
}

installShapeCheck(checkRows);
