namespace VectorPipe.Server.Filtering;

/// <summary>An operator of filters. Of two, the one with the larger strength takes its operands first.</summary>
internal sealed record FilterOperator(
    string Name, int Strength, Func<FilterValue, FilterValue, FilterValue> Apply, bool IsRightFirst = false)
{
    /// <summary>Binds stronger than all others.</summary>
    public const int NotStrength = 6;

    /// <summary>Those with two operands.</summary>
    public static IReadOnlyList<FilterOperator> All { get; } =
    [
        new("**", 5, (a, b) => FilterValue.Of(Math.Pow(a.Number, b.Number)), IsRightFirst: true),
        new("*", 4, (a, b) => FilterValue.Of(a.Number * b.Number)),
        new("/", 4, (a, b) => FilterValue.Of(a.Number / b.Number)),
        new("%", 4, (a, b) => FilterValue.Of(a.Number % b.Number)),
        new("+", 3, (a, b) => FilterValue.Of(a.Number + b.Number)),
        new("-", 3, (a, b) => FilterValue.Of(a.Number - b.Number)),
        new(">=", 2, (a, b) => FilterValue.Of(a.Number >= b.Number)),
        new(">", 2, (a, b) => FilterValue.Of(a.Number > b.Number)),
        new("<=", 2, (a, b) => FilterValue.Of(a.Number <= b.Number)),
        new("<", 2, (a, b) => FilterValue.Of(a.Number < b.Number)),
        new("==", 2, (a, b) => FilterValue.Of(FilterValue.AreEqual(a, b))),
        new("!=", 2, (a, b) => FilterValue.Of(!FilterValue.AreEqual(a, b))),
        new("in", 2, (a, b) => FilterValue.Of(FilterValue.IsIn(a, b))),
        new("and", 1, (a, b) => FilterValue.Of(a.IsTrue && b.IsTrue)),
        new("&&", 1, (a, b) => FilterValue.Of(a.IsTrue && b.IsTrue)),
        new("or", 0, (a, b) => FilterValue.Of(a.IsTrue || b.IsTrue)),
        new("||", 0, (a, b) => FilterValue.Of(a.IsTrue || b.IsTrue)),
    ];
}
