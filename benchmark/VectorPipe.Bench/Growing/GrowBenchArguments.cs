using CommandLine;
using VectorPipe.Bench.Arguments;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Growing;

/// <summary>Options of <c>vectorpipe-bench grow</c>.</summary>
[Verb("grow", HelpText = "Write a file of as many vectors as wanted that are like those of another one: points between near neighbours.")]
internal sealed class GrowBenchArguments : BenchArguments
{
    [Option("index", HelpText = "(Default: one in --data-path, built if there is none) Directory of the index.")]
    public string? Index { get; set; }

    [Option("base", Required = true, HelpText = "File of at least 1000 vectors. They come first in the result.")]
    public string Base { get; set; } = "";

    [Option("out", Required = true, HelpText = "File to write, with the extension of the type: .fbin, .u8bin, .i8bin or .npy.")]
    public string Out { get; set; } = "";

    [Option('n', "points", Required = true, HelpText = "Vectors to write, more than the base has.")]
    public int Points { get; set; }

    [Option("noise", Default = 0.3f, HelpText =
        "Noise of a new vector, as a share of the distance of the two that it lies between, 0 to 10.")]
    public float Noise { get; set; }

    [Option("metric", Default = "l2", HelpText = "Metric of the neighbours: l2, ip (inner product) or cosine.")]
    public string Metric { get; set; } = "";

    public override void Check()
    {
        base.Check();
        Choices.Metric(Metric);
        UsageException.Require(Noise is >= 0 and <= 10, "--noise", Noise, "0 to 10");
        UsageException.Require(Iterations == 1, "--iterations", Iterations, "1: a file is written once");
        UsageException.Require(RunSeconds is null, "--runsec", RunSeconds, "none: --points says how much to write");
        UsageException.Require(WarmUpSeconds is null, "--warmup-sec", WarmUpSeconds, "none: nothing is measured");
        UsageException.Require(Rate is null, "--rate", Rate, "no pace: nothing is measured");
        UsageException.Require(Chart is null, "--chart", Chart, "no chart: nothing is measured");
    }

    /// <summary>Checks what depends on the vectors of the base.</summary>
    public void Check(VectorMatrix vectors)
    {
        UsageException.Require(vectors.Count >= 1000, "--base", $"{vectors.Count} vectors in '{Base}'", "at least 1000");
        UsageException.Require(Points > vectors.Count, "--points", Points, $"more than the base has ({vectors.Count})");
        string extension = RowFile.ExtensionOf(vectors.ElementType);
        UsageException.Require(Path.GetExtension(Out) == extension, "--out", Out, $"a file of extension {extension}");
        UsageException.Require(Path.GetFullPath(Out) != Path.GetFullPath(Base), "--out", Out, "another file than --base");
    }
}
