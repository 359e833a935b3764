/** Creates a destination, or changes one. Its fields come from the API's own description of each type. */
import { useState } from 'react';
import { callTo, useIdempotencyKey, type Schema } from '../../api/call.ts';
import type { Problem } from '../../api/problem.ts';
import { Dialog } from '../../parts/dialog/dialog.tsx';
import { SelectField, TextField } from '../../parts/field/field.tsx';
import { Form } from '../../parts/form/form.tsx';
import { Loaded } from '../../parts/states/states.tsx';
import {
  type DestinationRecord,
  type DestinationSchemas,
  type Setting,
  useDestinationSchemas,
} from './schemas.ts';
import { type Draft, draftOf, type Present, SettingField, valueOf } from './setting-field.tsx';

interface DestinationFormProps {
  /** The destination to change. Absent: a new one. */
  record?: DestinationRecord;
  /** The workspace of a new one. Absent: the default workspace. */
  workspaceId?: string | undefined;
  onClose: () => void;
}

export function DestinationForm(props: DestinationFormProps) {
  const { record, onClose } = props;
  return (
    <Dialog title={record ? `Edit “${record.name ?? record.type}”` : 'Create destination'} onClose={onClose}>
      <Loaded query={useDestinationSchemas()} what="the types of destinations">
        {(schemas) => <FormOfType {...props} schemas={schemas} />}
      </Loaded>
    </Dialog>
  );
}

const PATH = '/observability/destinations';

type Body = Schema<'NewObservabilityDestination'>;

function FormOfType({
  record,
  workspaceId,
  onClose,
  schemas,
}: DestinationFormProps & { schemas: DestinationSchemas }) {
  const [type, setType] = useState(record?.type ?? 'webhook');
  const { properties, required = [] } = schemas.configs.find(({ title }) => title === type)!;
  const present: Record<string, Present> = { ...record?.config };
  const [name, setName] = useState(record?.name ?? '');
  const shown = Object.entries(present).filter(([key]) => !properties[key]?.writeOnly);
  const [config, setConfig] = useState<Draft>(() => draftOfAll(shown));
  const [rules, setRules] = useState<Draft>(() => rulesOf(schemas, record));
  const body = {
    name,
    ...valuesOf(schemas.rules, rules),
    // A secret that is sent as its mask stays as it is.
    config: valuesOf(properties, config, present) as Body['config'],
  };
  const headers = useIdempotencyKey();
  const created = { ...body, type, workspace_id: workspaceId };
  const pick = (picked: Body['type']): void => {
    setType(picked);
    setConfig({});
  };
  return (
    <Form<unknown>
      call={
        record
          ? callTo('PATCH', `${PATH}/{id}`, { path: { id: record.id }, body })
          : callTo('POST', PATH, { body: created, headers })
      }
      action={record ? 'Save' : 'Create destination'}
      onDone={onClose}
      onCancel={onClose}
    >
      {(problem) => (
        <>
          {record === undefined && <TypeField schemas={schemas} type={type} onPick={pick} />}
          <TextField label="Name" required problem={issueOf(problem, 'name')} value={name} onText={setName} />
          <SettingFields
            settings={properties}
            required={required}
            present={present}
            draft={config}
            issueOf={(key) => issueOf(problem, `config.${key}`)}
            onChange={setConfig}
          />
          <SettingFields
            settings={schemas.rules}
            draft={rules}
            issueOf={(key) => issueOf(problem, key)}
            onChange={setRules}
          />
        </>
      )}
    </Form>
  );
}

interface TypeFieldProps {
  schemas: DestinationSchemas;
  type: Body['type'];
  onPick: (type: Body['type']) => void;
}

function TypeField({ schemas: { configs }, type, onPick }: TypeFieldProps) {
  const options = configs.map(({ title = '' }) => ({ value: title, label: title }));
  return (
    <SelectField
      label="Type"
      value={type}
      options={options}
      onPick={(picked) => onPick(picked as Body['type'])}
    />
  );
}

/** Returns what the API found wrong with a field, or with a part of it. */
function issueOf(problem: Problem | undefined, path: string): string | undefined {
  return problem?.issues.find((issue) => `${issue.path}.`.startsWith(`body.${path}.`))?.message;
}

interface SettingFieldsProps {
  settings: DestinationSchemas['rules'];
  required?: readonly string[];
  /** What the API has now. Its secrets are masks. */
  present?: Record<string, Present>;
  draft: Draft;
  issueOf: (key: string) => string | undefined;
  onChange: (draft: Draft) => void;
}

function SettingFields(props: SettingFieldsProps) {
  const { settings, required = [], present = {}, draft, issueOf, onChange } = props;
  return Object.entries(settings).map(([key, setting]) => (
    <SettingField
      key={key}
      name={key}
      setting={setting}
      value={draft[key]}
      isRequired={required.includes(key)}
      mask={maskOf(setting, present[key])}
      problem={issueOf(key)}
      onChange={(value) => onChange({ ...draft, [key]: value })}
    />
  ));
}

const maskOf = ({ writeOnly }: Setting, present: Present): string | undefined =>
  writeOnly && typeof present === 'string' ? present : undefined;

const draftOfAll = (settings: readonly [key: string, value: Present][]): Draft =>
  Object.fromEntries(settings.map(([key, value]) => [key, draftOf(value)]));

function rulesOf({ rules }: DestinationSchemas, record: DestinationRecord | undefined): Draft {
  const present = { ...record } as Record<string, Present>;
  return draftOfAll(Object.keys(rules).map((key) => [key, present[key]]));
}

/** Returns the settings with a value. Secrets without one keep their mask. */
function valuesOf(
  settings: DestinationSchemas['rules'],
  draft: Draft,
  present: Record<string, Present> = {},
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([key, setting]) => {
      const value = valueOf(setting, draft[key]) ?? (setting.writeOnly ? present[key] : undefined);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}
