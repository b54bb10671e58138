import { option } from '@sluice/contract'
import { useFormContext } from 'react-hook-form'
import { useSession } from '../../lib/session.ts'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { Alert } from '../../ui/alert.tsx'
import { Field } from '../../ui/field.tsx'
import { FormSection } from '../../ui/form.tsx'
import { Input } from '../../ui/input.tsx'
import type { ChannelValues } from './channel-values.ts'

export const rawProxyNames = ['proxy_methods', 'proxy_paths'] as const

const placeholders = { proxy_methods: 'GET, POST', proxy_paths: '/v1/chat, /v1/files' } as const

/** What a raw proxy forwards, and warnings about it. */
export function RawProxyFields() {
  const t = useT()
  const { isRoot } = useSession()
  const { register, formState } = useFormContext<ChannelValues>()
  const { data: options } = useRead(option.list, { input: {}, isSilent: true })
  const isFree = options?.some(({ key, value }) => key === 'ProxyPrice' && value === '0') === true
  return (
    <FormSection title={t('channel.section.rawProxy')}>
      {isRoot ? null : <Alert kind="warning">{t('channel.rawProxy.root')}</Alert>}
      {isFree ? <Alert kind="warning">{t('channel.rawProxy.free')}</Alert> : null}
      {rawProxyNames.map((name) => (
        <Field key={name} label={t(`channel.${name}`)} hint={t(`channel.${name}.hint`)} isRequired error={formState.errors[name]?.message}>
          {(control) => <Input {...control} {...register(name)} placeholder={placeholders[name]} />}
        </Field>
      ))}
    </FormSection>
  )
}
