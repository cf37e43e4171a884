namespace VectorPipe.Bench.Commands;

/// <summary>Where data lies that a benchmark makes for itself and finds again the next time.</summary>
internal static class DataFolder
{
    /// <summary>The folder that was asked for, or one in the temporary folder.</summary>
    public static string Of(BenchArguments arguments) => arguments.DataPath ?? Path.Combine(Path.GetTempPath(), "vectorpipe-bench");
}
