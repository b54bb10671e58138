interface MysqlPrograms {
  readonly server: string
  /** The command that creates the data folder, without its path. */
  readonly initialiser: readonly string[]
}

/** Includes folders of servers, which only root has in its PATH. */
const PATH = [process.env['PATH'], '/usr/sbin', '/usr/local/sbin', '/usr/libexec', '/opt/homebrew/bin'].join(':')

/** The programs of MariaDB, or else of MySQL; `null`: neither is installed. */
export function findMysql(): MysqlPrograms | null {
  const [maria, install, mysql] = ['mariadbd', 'mariadb-install-db', 'mysqld'].map((name) => Bun.which(name, { PATH }))
  if (maria && install)
    return { server: maria, initialiser: [install, '--no-defaults', '--auth-root-authentication-method=normal', '--skip-test-db'] }
  return mysql ? { server: mysql, initialiser: [mysql, '--no-defaults', '--initialize-insecure'] } : null
}
