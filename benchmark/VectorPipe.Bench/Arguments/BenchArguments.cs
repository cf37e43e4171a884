using System.Reflection;
using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Measuring.Output;
using VectorPipe.Model.Open;

namespace VectorPipe.Bench.Arguments;

/// <summary>Options of every verb.</summary>
internal abstract class BenchArguments : ICommandArguments
{
    // About the latency of an idle SSD.
    private const int ThrottledLatencyUs = 100;

    // A thread that sleeps wakes up milliseconds late.
    private const int ThrottledPollUs = 10_000;

    private static readonly Choice<(DeviceKind Kind, bool IsRing)> _devices = new(
        "--device",
        [
            ("auto", (DeviceKind.Auto, false)), ("uring", (DeviceKind.Uring, false)), ("portable", (DeviceKind.Portable, false)),
            ("memory", (DeviceKind.Memory, false)), ("memory-ring", (DeviceKind.Memory, true)),
        ],
        [("io_uring", (DeviceKind.Uring, false)), ("ram", (DeviceKind.Memory, false))]);

    [Option('t', "threads", Separator = ',', Default = new[] { 1 }, HelpText =
        "Run threads, 1 to 1024 (build: threads of the build); several with commas, one run each.")]
    public IEnumerable<int> Threads { get; set; } = [];

    [Option("run-threads-sweep", Hidden = true, Separator = ',', HelpText =
        "Several numbers of run threads, 1 to 1024, for one preparation. Replaces --threads.")]
    public IEnumerable<int> RunThreadsSweep { get; set; } = [];

    [Option('s', "seed", Hidden = true, Default = 211UL, HelpText = "Seed of all random choices.")]
    public ulong Seed { get; set; }

    [Option("runsec", HelpText = "(Default: 10; search: one pass over the queries) Seconds per run, at most 86400.")]
    public double? RunSeconds { get; set; }

    [Option("warmup-sec", Hidden = true, HelpText =
        "(Default: 1; search: 200 queries per thread) Seconds of warm-up before each run, at most 86400.")]
    public double? WarmUpSeconds { get; set; }

    [Option("rate", HelpText =
        "(Default: no pace) Operations a second of all threads; latency counts from when they were due.")]
    public double? Rate { get; set; }

    [Option('i', "iterations", Default = 1, HelpText = "Runs of each kind, 1 to 1000; the one of median throughput is the result.")]
    public int Iterations { get; set; }

    [Option("report-interval-sec", Hidden = true, Default = 1.0, HelpText =
        "Seconds between two lines of progress, at most 86400; 0 for none.")]
    public double ReportIntervalSeconds { get; set; }

    [Option("json-output", HelpText = "File of configuration and results; - is standard output.")]
    public string? JsonOutput { get; set; }

    [Option("csv-output", Hidden = true, HelpText = "File of the results as a table; - is standard output.")]
    public string? CsvOutput { get; set; }

    [Option("chart", HelpText = "SVG file of a chart of the results.")]
    public string? Chart { get; set; }

    [Option("quiet", HelpText = "Print only the results, and log only warnings.")]
    public bool Quiet { get; set; }

    [Option("verbose", Hidden = true, HelpText = "Show the stack trace of an error.")]
    public bool Verbose { get; set; }

    [Option("device", Default = "auto", HelpText =
        "Device: auto, uring, portable, memory or memory-ring. Reads bypass the page cache if the file system allows it; memory devices "
        + "load the files first.")]
    public string Device { get; set; } = "";

    [Option("device-inline-completion", Hidden = true, HelpText =
        "memory-ring: complete reads on the run thread, as --device memory does.")]
    public bool DeviceInlineCompletion { get; set; }

    [Option("device-completion-threads", Hidden = true, HelpText =
        "(Default: 32 for portable, 1 for memory-ring) Threads that serve reads.")]
    public int? DeviceCompletionThreads { get; set; }

    [Option("device-queue-depth", Hidden = true, HelpText = "(Default: the thread's own) Most reads of a thread in the device's ring.")]
    public int? DeviceQueueDepth { get; set; }

    [Option("device-submit-every", Hidden = true, HelpText =
        "(Default: a quarter of the depth, at least 8) Reads that wait before a turn submits them.")]
    public int? DeviceSubmitEvery { get; set; }

    [Option("device-poll-us", Hidden = true, HelpText =
        "(Default: as long as it helps) Microseconds to poll for completions before a thread sleeps.")]
    public int? DevicePollUs { get; set; }

    [Option("device-uring-sqpoll", Hidden = true, HelpText = "uring: let a kernel thread poll for submissions.")]
    public bool DeviceUringSqPoll { get; set; }

    [Option("device-registered-buffers", Hidden = true, HelpText = "(Default: on if the limit of locked memory allows) uring: on or off.")]
    public string? DeviceRegisteredBuffers { get; set; }

    [Option("latency-us", Hidden = true, HelpText =
        "(Default: 0, or 100 with --device-iops) memory and memory-ring: microseconds per read.")]
    public int? LatencyUs { get; set; }

    [Option("device-iops", Hidden = true, HelpText =
        "memory: most reads per second of all threads together, 1 to 10000000. Threads then poll instead of sleeping.")]
    public int? DeviceIops { get; set; }

    [Option("data-path", HelpText = "(Default: a folder in the temporary folder) Folder of the data.")]
    public string? DataPath { get; set; }

    public string Verb => GetType().GetCustomAttribute<VerbAttribute>()!.Name;

    /// <summary>The numbers of run threads to measure.</summary>
    public IReadOnlyList<int> ThreadCounts => [.. RunThreadsSweep.Any() ? RunThreadsSweep : Threads];

    /// <summary>The folder of data that benchmarks generate and keep.</summary>
    public string DataFolder => DataPath ?? Path.Combine(Path.GetTempPath(), "vectorpipe-bench");

    /// <summary>Creates the console. It logs information unless it is quiet: the name of the device, and the reason for it.</summary>
    public ToolConsole CreateConsole(TextWriter output, TextWriter error) =>
        new(output, error, isVerbose: Verbose || !Quiet, documentToOutput: HasDocument(JsonOutput, CsvOutput));

    /// <summary>Whether standard output receives one of two files. It cannot receive both.</summary>
    public static bool HasDocument(string? jsonOutput, string? csvOutput)
    {
        int toOutput = new[] { jsonOutput, csvOutput }.Count(path => path == OutputFile.StandardOutput);
        UsageException.Require(toOutput <= 1, "--csv-output", OutputFile.StandardOutput, "a file, beside --json-output -");
        return toOutput > 0;
    }

    /// <summary>Runs work and shows its progress unless the command is quiet.</summary>
    public Task<T> WithProgressAsync<T>(ToolConsole console, Func<IProgress<BuildProgress>?, Task<T>> work) =>
        Quiet ? work(null) : console.WithProgressAsync(work);

    /// <summary>Checks the options before anything is prepared.</summary>
    public virtual void Check()
    {
        string threads = RunThreadsSweep.Any() ? "--run-threads-sweep" : "--threads";
        UsageException.Require(ThreadCounts.Count > 0, threads, "none", "one or more numbers");
        foreach (int count in ThreadCounts)
            UsageException.Require(count is >= 1 and <= 1024, threads, count, "1 to 1024");
        UsageException.Require(RunSeconds is null or (> 0 and <= 86_400), "--runsec", RunSeconds, "more than 0, at most 86400");
        UsageException.Require(WarmUpSeconds is null or (>= 0 and <= 86_400), "--warmup-sec", WarmUpSeconds, "0 to 86400");
        UsageException.Require(Rate is null or (> 0 and <= 1e9), "--rate", Rate, "more than 0, at most 1e9");
        UsageException.Require(Iterations is >= 1 and <= 1000, "--iterations", Iterations, "1 to 1000");
        UsageException.Require(ReportIntervalSeconds is >= 0 and <= 86_400, "--report-interval-sec", ReportIntervalSeconds, "0 to 86400");
        ToDeviceOptions().Validated();
        OutputFile.RequireFolder(JsonOutput);
        OutputFile.RequireFolder(CsvOutput);
        OutputFile.RequireFolder(Chart);
    }

    /// <summary>The device options of the library.</summary>
    public DeviceOptions ToDeviceOptions()
    {
        (DeviceKind kind, bool isRing) = _devices.Parse(Device);
        if (DeviceInlineCompletion)
        {
            UsageException.Require(kind == DeviceKind.Memory, "--device-inline-completion", $"--device {Device}", "a memory device");
            isRing = false;
        }

        var options = new DeviceOptions
        {
            Kind = kind,
            QueueDepth = DeviceQueueDepth,
            Tuning = new DeviceTuning
            {
                IsRing = isRing,
                Threads = DeviceCompletionThreads,
                SubmitEvery = DeviceSubmitEvery,
                PollUs = DevicePollUs,
                SqPoll = DeviceUringSqPoll ? true : null,
                RegisterBuffers = Choices.OnOff("--device-registered-buffers", DeviceRegisteredBuffers),
                LatencyUs = LatencyUs,
            },
        };
        return DeviceIops is { } iops ? Throttle(options, iops) : options;
    }

    /// <summary>The options, for the report.</summary>
    public virtual JsonObject ToJson()
    {
        JsonObject json = OptionsReport.Create(this);
        json["threads"] = new JsonArray([.. ThreadCounts.Select(count => JsonValue.Create(count))]);
        return json;
    }

    private DeviceOptions Throttle(DeviceOptions options, int iops)
    {
        UsageException.Require(
            options.Kind == DeviceKind.Memory && !options.Tuned.IsRing, "--device-iops", $"--device {Device}", "the memory device");
        UsageException.Require(iops is >= 1 and <= 10_000_000, "--device-iops", iops, "1 to 10000000");
        DeviceTuning tuned = options.Tuned;
        return options with
        {
            Tuning = tuned with
            {
                ReadsPerSecond = iops,
                LatencyUs = LatencyUs ?? ThrottledLatencyUs,
                PollUs = tuned.PollUs is > 0 ? tuned.PollUs : ThrottledPollUs,
            },
        };
    }
}
