using VectorPipe.Devices;
using VectorPipe.Model.Errors;

namespace VectorPipe.Tests.Faults;

/// <summary>The rates of faults, as shares of reads, enqueues and submits.</summary>
internal sealed record FaultRates
{
    /// <summary>Only order and delay, which no caller may notice.</summary>
    public static FaultRates Benign { get; } = new() { Delay = 0.3, Reorders = true };

    /// <summary>One of four mixtures by the seed: transient faults, errors, damage, or a device that throws.</summary>
    public static FaultRates Mixture(int seed) => (seed % 4) switch
    {
        0 => new FaultRates { Short = 0.1, Transient = 0.05, Delay = 0.3, Duplicate = 0.1, Refusal = 0.1, Reorders = true },
        1 => new FaultRates { Failure = 0.05, Delay = 0.3, Duplicate = 0.1, Reorders = true },
        2 => new FaultRates { Corrupt = 0.02, Zero = 0.02, ThrowAtEnqueue = 0.02, Refusal = 0.2, Reorders = true },
        _ => new FaultRates { ThrowAtSubmit = 0.03, Transient = 0.2, Short = 0.2, Delay = 0.2 },
    };

    /// <summary>EIO.</summary>
    public double Failure { get; init; }

    /// <summary>EINTR or EAGAIN.</summary>
    public double Transient { get; init; }

    public double Short { get; init; }

    public double Zero { get; init; }

    public double Delay { get; init; }

    public double Lost { get; init; }

    public double Duplicate { get; init; }

    public double Corrupt { get; init; }

    public double Refusal { get; init; }

    public double ThrowAtEnqueue { get; init; }

    public double ThrowAtSubmit { get; init; }

    public double ThrowAtReap { get; init; }

    /// <summary>Share of the exceptions that are not the library's own types.</summary>
    public double Untyped { get; init; }

    /// <summary>Whether finished reads are handed back in any order.</summary>
    public bool Reorders { get; init; }

    /// <summary>The fault of a read.</summary>
    public Fault Draw(Random random, DeviceRead read)
    {
        double left = random.NextDouble();
        if ((left -= Failure) < 0)
            return new Fault(FaultKind.Errno, Errno.EIO);
        if ((left -= Transient) < 0)
            return new Fault(FaultKind.Errno, random.Next(2) == 0 ? Errno.EINTR : Errno.EAGAIN);
        if ((left -= Short) < 0)
            return new Fault(FaultKind.Short, random.Next(1, read.Length));
        if ((left -= Zero) < 0)
            return new Fault(FaultKind.Zero);
        if ((left -= Delay) < 0)
            return new Fault(FaultKind.Delay, random.Next(1, 6));
        if ((left -= Lost) < 0)
            return new Fault(FaultKind.Lost);
        if ((left -= Duplicate) < 0)
            return new Fault(FaultKind.Duplicate);
        return left - Corrupt < 0 ? new Fault(FaultKind.Corrupt, random.Next()) : default;
    }
}
