using VectorPipe.Filters.Algebra;

namespace VectorPipe.Filters.Text;

/// <summary>What was read since a parenthesis that is still open.</summary>
/// <param name="Position">Where the parenthesis is.</param>
/// <param name="IsNegated">Whether the group is negated.</param>
/// <param name="Nots">The words <c>not</c> before the parenthesis.</param>
internal sealed record OpenGroup(int Position, bool IsNegated, int Nots)
{
    private readonly List<FilterNode> _ended = [];
    private List<FilterNode> _and = [];

    public void Add(FilterNode node) => _and.Add(node);

    /// <summary>Ends a row of terms that <c>and</c> joins, since <c>or</c> follows.</summary>
    public void EndAnd()
    {
        _ended.Add(GroupNode.Of(isAnd: true, _and));
        _and = [];
    }

    public FilterNode ToNode()
    {
        EndAnd();
        return GroupNode.Of(isAnd: false, _ended);
    }
}
