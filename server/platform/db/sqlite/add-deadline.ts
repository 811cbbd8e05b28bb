import {
  AliasNode,
  AndNode,
  type CompiledQuery,
  IdentifierNode,
  type OperationNode,
  OperationNodeTransformer,
  ParensNode,
  RawNode,
  SelectQueryNode,
  SqliteQueryCompiler,
  TableNode,
  WhereNode,
} from 'kysely';
import { DEADLINE_FUNCTION } from './deadline.ts';

/**
 * Returns the text of a query that calls the function of deadline.ts for each row of each table that it
 * looks at, or the text as it is where the query is not built of nodes. The parameters stay the same.
 *
 * The calls come first in `where`: behind another condition they would run only for rows that match it. They
 * name a column of their table, because SQLite otherwise calls them for the rows of the outermost table only.
 * @param isTable whether a name is a table, which has a rowid; subqueries get the calls inside
 */
export function addDeadline(
  { query, queryId, sql }: CompiledQuery,
  isTable: (name: string) => boolean,
): string {
  if (!SelectQueryNode.is(query)) return sql;
  const limited = new DeadlineTransformer(isTable).transformNode(query, queryId);
  return new SqliteQueryCompiler().compileQuery(limited, queryId).sql;
}

class DeadlineTransformer extends OperationNodeTransformer {
  private readonly isTable: (name: string) => boolean;
  constructor(isTable: (name: string) => boolean) {
    super();
    this.isTable = isTable;
  }

  protected override transformSelectQuery(
    ...parameters: Parameters<OperationNodeTransformer['transformSelectQuery']>
  ): SelectQueryNode {
    const node = super.transformSelectQuery(...parameters);
    const sources = [...(node.from?.froms ?? []), ...(node.joins ?? []).map(({ table }) => table)];
    const [first, ...others] = sources.flatMap((source) => this.callFor(source));
    if (!first) return node;
    const calls = others.reduce<OperationNode>((all, call) => AndNode.create(all, call), first);
    const where = node.where && ParensNode.create(node.where.where);
    return { ...node, where: WhereNode.create(where ? AndNode.create(calls, where) : calls) };
  }

  private callFor(source: OperationNode): OperationNode[] {
    const table = AliasNode.is(source) ? source.node : source;
    if (!TableNode.is(table)) return [];
    const { identifier } = table.table;
    if (!this.isTable(identifier.name)) return [];
    const isRenamed = AliasNode.is(source) && IdentifierNode.is(source.alias);
    const name = isRenamed ? source.alias : identifier;
    return [RawNode.create([`${DEADLINE_FUNCTION}(`, '.rowid)'], [name])];
  }
}
