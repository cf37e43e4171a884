using System.Diagnostics;
using Microsoft.Extensions.Logging;
using VectorPipe.Diagnostics;

namespace VectorPipe.Building.Phases;

/// <summary>Measures the phases of a build.</summary>
internal sealed class PhaseTimer
{
    private readonly ILogger _logger;
    private readonly List<BuildPhase> _phases = [];
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly TimeSpan _startCpu = Environment.CpuUsage.TotalTime;
    private long _phaseStart;
    private TimeSpan _phaseCpu;

    public PhaseTimer(ILogger logger)
    {
        _logger = logger;
        _phaseStart = _start;
        _phaseCpu = _startCpu;
    }

    /// <summary>The finished phases.</summary>
    public IReadOnlyList<BuildPhase> Phases => _phases;

    /// <summary>Time since the build began.</summary>
    public double WallSeconds => Stopwatch.GetElapsedTime(_start).TotalSeconds;

    /// <summary>Processor time of the process since then.</summary>
    public double CpuSeconds => (Environment.CpuUsage.TotalTime - _startCpu).TotalSeconds;

    /// <summary>Ends the phase that began when the previous one ended.</summary>
    public void End(string name) => End(new BuildPhase { Name = name });

    /// <summary>Ends the phase that began when the previous one ended, and adds its times to the plan of the phase.</summary>
    public void End(BuildPhase planned)
    {
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        BuildPhase phase =
            planned with { WallSeconds = Stopwatch.GetElapsedTime(_phaseStart).TotalSeconds, CpuSeconds = (cpu - _phaseCpu).TotalSeconds };
        _phases.Add(phase);
        _phaseStart = Stopwatch.GetTimestamp();
        _phaseCpu = cpu;
        BuildLog.Phase(_logger, phase.Name, phase.WallSeconds, phase.CpuSeconds);
    }
}
