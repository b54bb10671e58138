interface MysqlPrograms {
  readonly server: string
  /** What makes the folder of its data, but for the place. */
  readonly initialiser: readonly string[]
}

/** Servers stand in folders that only root has in its PATH. */
const PATH = [process.env['PATH'], '/usr/sbin', '/usr/local/sbin', '/usr/libexec', '/opt/homebrew/bin'].join(':')

/** The programs of MariaDB, or else of MySQL; `null`: this machine has neither. */
export function findMysql(): MysqlPrograms | null {
  const [maria, install, mysql] = ['mariadbd', 'mariadb-install-db', 'mysqld'].map((name) => Bun.which(name, { PATH }))
  if (maria && install)
    return { server: maria, initialiser: [install, '--no-defaults', '--auth-root-authentication-method=normal', '--skip-test-db'] }
  return mysql ? { server: mysql, initialiser: [mysql, '--no-defaults', '--initialize-insecure'] } : null
}
