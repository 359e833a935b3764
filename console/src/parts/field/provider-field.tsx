/** Chooses one of the providers of the catalog. */
import { useQuery } from '@tanstack/react-query';
import { api, read } from '../../api/client.ts';
import { SelectField } from './field.tsx';

interface ProviderFieldProps {
  value: string | undefined;
  onPick: (slug: string | undefined) => void;
}

export function ProviderField({ value, onPick }: ProviderFieldProps) {
  const { data: providers = [] } = useQuery({
    queryKey: ['providers'],
    staleTime: 300_000,
    queryFn: async ({ signal }) => (await read(api.GET('/providers', { signal }))).data,
  });
  const isListed = value === undefined || providers.some(({ slug }) => slug === value);
  return (
    <SelectField
      label="Provider"
      value={value ?? ''}
      options={[
        { value: '', label: 'Any' },
        ...providers.map(({ slug, name }) => ({ value: slug, label: name })),
        ...(isListed ? [] : [{ value, label: value }]),
      ]}
      onPick={(slug) => onPick(slug || undefined)}
    />
  );
}
