/** Whether a password is among those that most people use, and that are tried first. */
export type IsCommonPassword = (password: string) => Promise<boolean>

/** Shorter ones are refused by their length. */
const lengthMin = 8

/** The list is read when the first password is chosen, because most processes need none. */
export function createCommonPasswords(): IsCommonPassword {
  let common: Promise<ReadonlySet<string>> | null = null

  async function readList(): Promise<ReadonlySet<string>> {
    const { dictionary } = await import('@zxcvbn-ts/language-common')
    return new Set(dictionary['passwords-common'].map(String).filter((password) => password.length >= lengthMin))
  }

  return async (password) => {
    common ??= readList()
    return (await common).has(password.toLowerCase())
  }
}
