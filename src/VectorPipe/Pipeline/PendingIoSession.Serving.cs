using VectorPipe.Model.Errors;

namespace VectorPipe.Pipeline;

/// <content>Serves ready ops: hands their bytes to the owners, issues reads again, and reports failures.</content>
internal sealed unsafe partial class PendingIoSession
{
    private void Serve(PendingIoContext op)
    {
        op.MarkDraining();
        PendingIoOutcome outcome = PendingIoOutcome.Done;
        try
        {
            outcome = ServeCore(op);
        }
        finally
        {
            if (outcome == PendingIoOutcome.Keep)
            {
                op.MarkKept();
                _kept++;
                Pending--;
            }
            else if (outcome == PendingIoOutcome.Done)
            {
                GiveBack(op);
                Pending--;
            }
        }

        // Outside the finally: the device holds an op that was issued again, so a submit that throws must not release its buffer.
        if (outcome == PendingIoOutcome.Reissue)
            SubmitWhenDue();
    }

    /// <returns>The owner's decision; <see cref="PendingIoOutcome.Reissue"/> only if the device has accepted the op again.</returns>
    private PendingIoOutcome ServeCore(PendingIoContext op)
    {
        int result = op.Result;
        if (result > 0)
        {
            op.Land(result, _alignment);
            if (op.Landed == op.RequestLength)
                return op.Owner!.OnRead(op) is var outcome && outcome == PendingIoOutcome.Reissue ? Reissue(op) : outcome;
        }
        else if (result == 0)
        {
            return Fail(op, new DeviceException($"Reading {op.Request} met the end of the file after {op.Landed} bytes"));
        }
        else if (-result is not (Errno.EINTR or Errno.EAGAIN or Errno.ENOMEM))
        {
            return Fail(op, new DeviceException($"Reading {op.Request} failed", -result));
        }

        if (op.Attempts >= _maxAttempts)
            return Fail(op, result < 0
                ? new DeviceException($"Reading {op.Request} failed {op.Attempts} times", -result)
                : new DeviceException($"Reading {op.Request} came short {op.Attempts} times; {op.Landed} bytes have landed"));

        // A lack of memory passes within moments; an interrupted or short read continues at once.
        if (-result is Errno.EAGAIN or Errno.ENOMEM)
            _pause();
        Retries++;
        return Reissue(op);
    }

    private PendingIoOutcome Reissue(PendingIoContext op)
    {
        op.Arm();
        try
        {
            if (_queue.TryEnqueue(op))
                return PendingIoOutcome.Reissue;
        }
        catch (DeviceException e)
        {
            return Fail(op, e);
        }

        return Fail(op, new DeviceException($"The device queue refused a read of {op.Request}: {DescribeInFlight()}"));
    }

    private static PendingIoOutcome Fail(PendingIoContext op, Exception error)
    {
        op.Owner!.OnReadFailed(op, error);
        return PendingIoOutcome.Done;
    }
}
