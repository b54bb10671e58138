import { type InputOf, user } from '@sluice/contract'
import type { ReactNode } from 'react'
import { useFormContext } from 'react-hook-form'
import { EntityAddPage } from '../../crud/entity-pages.tsx'
import { entityForms } from '../../crud/entity-spec.ts'
import { useT } from '../../lib/t.ts'
import { inputResolver } from '../../lib/use-input-form.ts'
import { Field } from '../../ui/field.tsx'
import { FormSection } from '../../ui/form.tsx'
import { Input, PasswordInput } from '../../ui/input.tsx'

type NewUser = InputOf<typeof user.create>

interface NewUserValues {
  readonly username: string
  readonly display_name: string
  readonly password: string
}

const empty: NewUserValues = { username: '', display_name: '', password: '' }
const resolver = inputResolver<NewUserValues, NewUser>(user.create, (values) => values)

const forms = entityForms({
  listPath: '/user',
  texts: {
    list: 'nav.user',
    addTitle: 'user.add.title',
    addLead: 'user.add.lead',
    add: 'user.create',
    added: 'user.created.toast',
    editTitle: 'user.edit.title',
    edited: 'user.updated.toast',
  },
  get: user.get,
  create: user.create,
  update: user.update,
  search: user.search,
  newValues: empty,
  toValues: () => empty,
  resolverFor: () => resolver,
  nameOf: ({ username }) => username,
  firstField: 'username',
  Fields: NewUserFields,
  isForAdmins: true,
})

export function UserAddPage(): ReactNode {
  return <EntityAddPage {...forms} />
}

function NewUserFields() {
  const t = useT()
  const { register, formState } = useFormContext<NewUserValues, unknown, NewUser>()
  const { errors } = formState
  return (
    <FormSection>
      <Field label={t('user.username')} isRequired error={errors.username?.message}>
        {(control) => <Input {...control} {...register('username')} autoComplete="off" placeholder={t('user.username.placeholder')} />}
      </Field>
      <Field label={t('user.displayName')} hint={t('user.displayName.hint')} error={errors.display_name?.message}>
        {(control) => <Input {...control} {...register('display_name')} autoComplete="off" />}
      </Field>
      <Field label={t('user.password')} isRequired hint={t('user.password.hint')} error={errors.password?.message}>
        {(control) => <PasswordInput {...control} {...register('password')} autoComplete="new-password" />}
      </Field>
    </FormSection>
  )
}
