using System.Diagnostics.CodeAnalysis;
using VectorPipe;

namespace QuickStart;

/// <summary>The arguments of the command line.</summary>
/// <param name="Base">File of the vectors to index; null for synthetic data.</param>
/// <param name="Query">File of the queries; null for synthetic data.</param>
/// <param name="Truth">File of the true neighbours; null to compute them.</param>
/// <param name="Metric">The metric of the index.</param>
internal sealed record Arguments(string? Base, string? Query, string? Truth, DistanceMetric Metric)
{
    public const string Usage = """
        Usage: QuickStart                                  uses synthetic data
               QuickStart --base FILE --query FILE [--truth FILE] [--metric l2|ip|cosine]
        Vectors: .fbin, .u8bin, .i8bin, .fvecs, .bvecs, .npy. Truth: .ivecs, or int32 count, int32 k, count x k uint32 ids.
        """;

    /// <summary>Parses the command line. The problem is null if the user asks for help.</summary>
    public static bool TryParse(string[] args, [NotNullWhen(true)] out Arguments? arguments, out string? problem)
    {
        arguments = null;
        problem = null;
        string? vectors = null, queries = null, truth = null;
        DistanceMetric metric = DistanceMetric.L2;
        for (int i = 0; i < args.Length; i += 2)
        {
            if (args[i] is "--help" or "-h" or "-?")
                return false;
            if (args[i] is not ("--base" or "--query" or "--truth" or "--metric"))
                problem = $"Expected --base, --query, --truth or --metric, found '{args[i]}'.";
            else if (i + 1 == args.Length)
                problem = $"Expected a value after {args[i]}, found none.";
            else if (args[i] == "--metric" && !TryParseMetric(args[i + 1], out metric))
                problem = $"Expected --metric l2, ip or cosine, found '{args[i + 1]}'.";
            if (problem is not null)
                return false;

            vectors = args[i] == "--base" ? args[i + 1] : vectors;
            queries = args[i] == "--query" ? args[i + 1] : queries;
            truth = args[i] == "--truth" ? args[i + 1] : truth;
        }

        if (args.Length > 0 && (vectors is null || queries is null))
        {
            problem = "Expected both --base and --query, or no arguments at all.";
            return false;
        }

        arguments = new Arguments(vectors, queries, truth, metric);
        return true;
    }

    private static bool TryParseMetric(string text, out DistanceMetric metric)
    {
        metric = text switch
        {
            "l2" => DistanceMetric.L2,
            "ip" => DistanceMetric.InnerProduct,
            "cosine" => DistanceMetric.Cosine,
            _ => default,
        };
        return metric != default;
    }
}
