using System.Diagnostics.CodeAnalysis;
using VectorPipe.Model.Errors;

namespace VectorPipe.Devices;

/// <summary>A device queue whose reads other threads serve and hand back through a <see cref="CompletionRing"/>.</summary>
internal abstract class ServedQueue(int capacity, ReadRules rules, Action onClosed) : DeviceQueue(capacity, rules, onClosed)
{
    private static readonly TimeSpan _drainBound = TimeSpan.FromSeconds(10);

    /// <summary>Reads on their way back.</summary>
    public CompletionRing Finished { get; } = new(capacity);

    protected override void Gather(int wanted, TimeSpan timeout)
    {
        if (wanted == 0)
            return;
        Start();
        Finished.Wait(wanted, timeout);
    }

    protected override bool TryTake([NotNullWhen(true)] out DeviceRead? read) => Finished.TryPop(out read);

    protected override void Close(bool isOwner)
    {
        int held = InFlight;
        while (TryTakeBack(out DeviceRead? read))
        {
            read.Result = -Errno.ECANCELED;
            held--;
        }

        BuffersMayBeWritten = held > 0 && !Finished.Wait(held, _drainBound);
        if (BuffersMayBeWritten)
        {
            // The serving threads still own the reads: everything that they use stays.
            ReportLeak(held);
            return;
        }

        Release();
        Finished.Dispose();
    }

    /// <summary>Takes a read back that no thread has received.</summary>
    protected abstract bool TryTakeBack([NotNullWhen(true)] out DeviceRead? read);

    protected abstract void ReportLeak(int count);

    /// <summary>Ends the use of the serving threads.</summary>
    protected abstract void Release();
}
