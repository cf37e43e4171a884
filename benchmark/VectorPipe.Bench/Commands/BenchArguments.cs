using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Measuring.Output;
using VectorPipe.Model.Open;

namespace VectorPipe.Bench.Commands;

/// <summary>Options of every verb.</summary>
internal abstract class BenchArguments : ICommandArguments
{
    // About what a read of an idle SSD takes.
    private const int ThrottledLatencyUs = 100;

    // A thread that sleeps for a memory device wakes up milliseconds late.
    private const int ThrottledPollUs = 10_000;

    private static readonly Choice<(DeviceKind Kind, bool IsRing)> _devices = new(
        "--device",
        [
            ("auto", (DeviceKind.Auto, false)), ("uring", (DeviceKind.Uring, false)), ("portable", (DeviceKind.Portable, false)),
            ("memory", (DeviceKind.Memory, false)), ("memory-ring", (DeviceKind.Memory, true)),
        ],
        [("io_uring", (DeviceKind.Uring, false)), ("ram", (DeviceKind.Memory, false))]);

    [Option(
        't', "threads", Separator = ',', Default = new[] { 1 },
        HelpText =
        "Run threads, each with a session of its own (build: threads of the build); several, with commas, are measured one after another.")]
    public IEnumerable<int> Threads { get; set; } = [];

    [Option(
        "run-threads-sweep", Separator = ',',
        HelpText = "Run threads, several: prepare once, run with each. Takes the place of --threads.")]
    public IEnumerable<int> RunThreadsSweep { get; set; } = [];

    [Option('s', "seed", Default = 211UL, HelpText = "Seed of every random choice.")]
    public ulong Seed { get; set; }

    [Option("runsec", HelpText = "Seconds of a run. (Default: 10; search: one pass over the queries)")]
    public double? RunSeconds { get; set; }

    [Option("warmup-sec", HelpText = "Seconds before each run that do not count. (Default: 1; search: 200 queries a thread)")]
    public double? WarmUpSeconds { get; set; }

    [Option(
        "rate",
        HelpText =
        "Operations (search: queries) a second, all threads together; their latency counts from the time at which they were due. "
        + "(Default: as fast as they complete)")]
    public double? Rate { get; set; }

    [Option(
        'i', "iterations", Default = 1,
        HelpText = "Runs of each kind; the result is the one of median throughput, and the report holds all.")]
    public int Iterations { get; set; }

    [Option("report-interval-sec", Default = 1.0, HelpText = "Seconds between two lines of progress; 0 for none.")]
    public double ReportIntervalSeconds { get; set; }

    [Option("json-output", HelpText = "Write configuration and results to this file; - for standard output.")]
    public string? JsonOutput { get; set; }

    [Option("csv-output", HelpText = "Write the results to this file; - for standard output.")]
    public string? CsvOutput { get; set; }

    [Option("chart", HelpText = "Draw the results into this SVG file.")]
    public string? Chart { get; set; }

    [Option("quiet", HelpText = "Print nothing but the table of results, and log nothing but warnings.")]
    public bool Quiet { get; set; }

    [Option("verbose", HelpText = "Show the stack trace of an error.")]
    public bool Verbose { get; set; }

    [Option(
        "device", Default = "auto",
        HelpText =
        "auto, uring, portable, memory or memory-ring. The files are read past the page cache where the file system allows it; memory "
        + "holds all of them.")]
    public string Device { get; set; } = "";

    [Option(
        "device-inline-completion",
        HelpText = "memory-ring: complete reads on the run thread, without rings and threads; the same as --device memory.")]
    public bool DeviceInlineCompletion { get; set; }

    [Option("device-completion-threads", HelpText = "portable and memory-ring: threads that serve reads. (Default: 32 and 1)")]
    public int? DeviceCompletionThreads { get; set; }

    [Option(
        "device-queue-depth", HelpText = "Most reads that the device's own ring holds for a thread. (Default: what the thread can use)")]
    public int? DeviceQueueDepth { get; set; }

    [Option(
        "device-submit-every",
        HelpText = "Reads that may wait before they are submitted within a turn. (Default: a quarter of the depth, at least 8)")]
    public int? DeviceSubmitEvery { get; set; }

    [Option("device-poll-us", Default = 0, HelpText = "Longest time in microseconds to look for completions before a thread sleeps.")]
    public int DevicePollUs { get; set; }

    [Option("device-uring-sqpoll", HelpText = "uring: a kernel thread polls for submissions.")]
    public bool DeviceUringSqPoll { get; set; }

    [Option("device-registered-buffers", HelpText = "uring: on or off. (Default: on where the limit of locked memory allows)")]
    public string? DeviceRegisteredBuffers { get; set; }

    [Option("latency-us", HelpText = "memory and memory-ring: microseconds that every read takes. (Default: 0)")]
    public int? LatencyUs { get; set; }

    [Option(
        "device-iops",
        HelpText =
        "memory: reads a second that the device serves at most, all threads together; every read takes --latency-us (100) beside. "
        + "Threads look for completions instead of sleeping.")]
    public int? DeviceIops { get; set; }

    [Option("data-path", HelpText = "Where the data lies: a folder. (Default: one in the temporary folder)")]
    public string? DataPath { get; set; }

    /// <summary>The verb.</summary>
    public abstract string Verb { get; }

    /// <summary>
    /// The console of the command. Information is logged unless it is quiet: it names the device that was chosen, and why.
    /// </summary>
    public ToolConsole CreateConsole(TextWriter output, TextWriter error)
    {
        int toOutput = new[] { JsonOutput, CsvOutput }.Count(path => path == OutputFile.StandardOutput);
        UsageException.Require(toOutput <= 1, "--csv-output", OutputFile.StandardOutput, "a file, beside --json-output -");
        return new ToolConsole(output, error, isVerbose: Verbose || !Quiet, documentToOutput: toOutput > 0);
    }

    /// <summary>The numbers of run threads to measure.</summary>
    public IReadOnlyList<int> ThreadCounts => [.. RunThreadsSweep.Any() ? RunThreadsSweep : Threads];

    /// <summary>Refuses what makes no sense, before anything is prepared.</summary>
    /// <exception cref="UsageException">An option is not in its range.</exception>
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

    /// <summary>The device options, as the library takes them.</summary>
    /// <exception cref="UsageException">A name is unknown, or two options contradict each other.</exception>
    public DeviceOptions ToDeviceOptions()
    {
        (DeviceKind kind, bool isRing) = _devices.Of(Device);
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

    /// <summary>The options of every verb, for the report.</summary>
    public virtual JsonObject ToJson() => new()
    {
        ["verb"] = Verb,
        ["threads"] = new JsonArray([.. ThreadCounts.Select(count => JsonValue.Create(count))]),
        ["seed"] = Seed,
        ["runsec"] = RunSeconds,
        ["warmup_sec"] = WarmUpSeconds,
        ["rate"] = Rate,
        ["iterations"] = Iterations,
        ["device_requested"] = Device,
        ["device_inline_completion"] = DeviceInlineCompletion,
        ["device_completion_threads"] = DeviceCompletionThreads,
        ["device_queue_depth"] = DeviceQueueDepth,
        ["device_submit_every"] = DeviceSubmitEvery,
        ["device_poll_us"] = DevicePollUs,
        ["device_uring_sqpoll"] = DeviceUringSqPoll,
        ["device_registered_buffers"] = DeviceRegisteredBuffers,
        ["latency_us"] = LatencyUs,
        ["device_iops"] = DeviceIops,
        ["data_path"] = DataPath,
    };

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
                PollUs = tuned.PollUs > 0 ? tuned.PollUs : ThrottledPollUs
            }
        };
    }
}
