/** The columns, indexes, constraints, tables, triggers and functions of a schema, less what differs by its name. */
const catalogSql = `
  SELECT 'column' AS kind, table_name AS of, column_name AS name,
    concat_ws(' ', data_type, is_nullable, column_default, collation_name, is_identity, identity_generation, generation_expression,
      (SELECT CASE WHEN a.attstattarget >= 0 THEN 'statistics ' || a.attstattarget END FROM pg_attribute a
        WHERE a.attrelid = format('%I.%I', table_schema, table_name)::regclass AND a.attname = column_name)) AS text
    FROM information_schema.columns WHERE table_schema = $1
  UNION ALL SELECT 'index', i.tablename, i.indexname, concat_ws(' ', i.indexdef, x.indisvalid) FROM pg_indexes i
    JOIN pg_class c ON c.relname = i.indexname JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = i.schemaname
    JOIN pg_index x ON x.indexrelid = c.oid WHERE i.schemaname = $1
  UNION ALL SELECT 'constraint', c.conrelid::regclass::text, c.conname, pg_get_constraintdef(c.oid)
    FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace WHERE n.nspname = $1
  UNION ALL SELECT 'table', c.relname, c.relpersistence::text, array_to_string(c.reloptions, ' ')
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'
  UNION ALL SELECT 'trigger', t.tgrelid::regclass::text, t.tgname, pg_get_triggerdef(t.oid)
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND NOT t.tgisinternal
  UNION ALL SELECT 'function', '', p.proname, pg_get_functiondef(p.oid)
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $1
  ORDER BY 1, 2, 3`

/** Runs a query with parameters. */
export type Query = (text: string, values?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<any>>

export const catalogOf = async (query: Query, schema: string): Promise<ReadonlyArray<string>> =>
  (await query(catalogSql, [schema])).map((row) => JSON.stringify(row).replaceAll(`${schema}.`, ""))
