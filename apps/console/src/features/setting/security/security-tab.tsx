import { useFreshLogin } from '../../../crud/use-fresh-login.tsx'
import { AccessTokens } from './access-tokens.tsx'
import { Passkeys } from './passkeys.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

/** How one's own account is protected, and where it is logged in. */
export function SecurityTab() {
  const { ensure, dialog } = useFreshLogin('/setting?tab=security')
  return (
    <div className="max-w-[720px]">
      <SecondFactor ensure={ensure} />
      <Passkeys ensure={ensure} />
      <Sessions />
      <AccessTokens ensure={ensure} />
      {dialog}
    </div>
  )
}
