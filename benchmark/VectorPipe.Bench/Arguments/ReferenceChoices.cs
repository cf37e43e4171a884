using VectorPipe.Reference.Searching;

namespace VectorPipe.Bench.Arguments;

/// <summary>Names of policies and widths, including those that the library is compared with.</summary>
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

    public static SearchPolicy Policy(string name) => _policies.Parse(name);

    public static string NameOf(SearchPolicy policy) => _policies.NameOf(policy);

    public static SearchWidth Width(string name) => _widths.Parse(name);

    public static string NameOf(SearchWidth width) => _widths.NameOf(width);
}
