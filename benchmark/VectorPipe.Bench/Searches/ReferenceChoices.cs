using VectorPipe.Reference.Searching;

namespace VectorPipe.Bench.Searches;

/// <summary>Names of policies and widths, those among them that the library is compared with.</summary>
internal static class ReferenceChoices
{
    private static readonly Choice<SearchPolicy> _policies = new(
        "--policy",
        [("gain", SearchPolicy.Gain), ("ratio", SearchPolicy.Ratio), ("list", SearchPolicy.List), ("relaxed", SearchPolicy.Relaxed)]);

    private static readonly Choice<SearchWidth> _widths = new(
        "--width",
        [
            ("fixed", SearchWidth.Fixed), ("adaptive", SearchWidth.Adaptive), ("position", SearchWidth.Position),
            ("remaining", SearchWidth.Remaining),
        ]);

    /// <summary>The policy of a name.</summary>
    public static SearchPolicy Policy(string name) => _policies.Of(name);

    /// <summary>The name of a policy.</summary>
    public static string NameOf(SearchPolicy policy) => _policies.NameOf(policy);

    /// <summary>The width of a name.</summary>
    public static SearchWidth Width(string name) => _widths.Of(name);

    /// <summary>The name of a width.</summary>
    public static string NameOf(SearchWidth width) => _widths.NameOf(width);
}
