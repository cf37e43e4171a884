using System.Text;
using VectorPipe.Filters.Algebra;

namespace VectorPipe.Filters.Text;

/// <summary>Writes a filter as a text that parses to an equal one.</summary>
internal static class FilterPrinter
{
    public static string Print(FilterNode node)
    {
        var text = new StringBuilder();
        Append(text, node, isWithin: false);
        return text.ToString();
    }

    // Nodes recur no deeper than the limit of depth.
    private static void Append(StringBuilder text, FilterNode node, bool isWithin)
    {
        switch (node)
        {
            case ConstantNode constant:
                text.Append(constant.Value ? Keywords.True : Keywords.False);
                break;
            case ValueNode value:
                text.Append(ValuePrinter.Print(value, isWithin));
                break;
            case ItemsNode items:
                AppendItems(text, items);
                break;
            case GroupNode group:
                text.Append(isWithin ? "(" : "");
                for (int i = 0; i < group.Nodes.Length; i++)
                {
                    if (i > 0)
                        text.Append(group.IsAnd ? " and " : " or ");
                    Append(text, group.Nodes[i], isWithin: true);
                }

                text.Append(isWithin ? ")" : "");
                break;
        }
    }

    private static void AppendItems(StringBuilder text, ItemsNode node)
    {
        if (node.IsNegated)
            text.Append("not ");
        LiteralPrinter.AppendName(text, node.Attribute);
        bool isSingle = node.Items.Length == 1;
        text.Append(isSingle ? " contains " : node.IsAll ? " contains_all (" : " contains_any (");
        for (int i = 0; i < node.Items.Length; i++)
        {
            text.Append(i > 0 ? ", " : "");
            LiteralPrinter.AppendValue(text, node.Items[i]);
        }

        text.Append(isSingle ? "" : ")");
    }
}
