using System.Diagnostics;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;

namespace VectorPipe.Storage.Log;

/// <summary>Appends groups to a log. A group is durable, as a whole, when <see cref="Sync"/> has returned after it.</summary>
/// <remarks>
/// <para>Single-threaded. A group begins in a fresh block, so no write touches a block that holds an earlier group.</para>
/// <para>An operation that fails closes the writer for good: the kernel may have dropped the pages of a failed sync, so repeating it could
/// report success for lost bytes (PostgreSQL, "PANIC on fsync() failure"). Nothing after <see cref="Durable"/> may be acknowledged
/// then.</para>
/// </remarks>
internal sealed class LogWriter : IDisposable
{
    /// <summary>Most bytes of a group's payload.</summary>
    public const int MaxPayload = 4 << 20;

    /// <summary>Most segments behind the one in use that wait for groups: with them, a log that is released in turns of up to 48 MiB
    /// writes no zeros any more.</summary>
    public const int MaxSpare = 2;

    private const int BufferBlocks = 256, FillBlocks = 64;

    private readonly LogFolder _folder;
    private readonly NativeBuffer _buffer;
    private SafeFileHandle _file;
    private SegmentDraft? _next;
    private Exception? _failure;
    private bool _hasNext;
    private bool _isDisposed;

    /// <param name="folder">The segments.</param>
    /// <param name="end">End of the log as <see cref="LogReader"/> found it; blocks behind it are overwritten.</param>
    /// <param name="lastSeen">Highest number of a group that <see cref="LogReader"/> saw, whole or torn: new groups are above it.</param>
    /// <exception cref="IOException">The segment cannot be opened or created.</exception>
    public LogWriter(LogFolder folder, LogPosition end, ulong lastSeen)
    {
        _folder = folder;
        End = Durable = end;
        LastGroup = Math.Max(lastSeen, end.Group);
        int blocks = Math.Min(BufferBlocks, folder.MostBlocks);
        _buffer = new NativeBuffer((nuint)blocks * LogBlock.Size);
        SafeFileHandle? file = null;
        try
        {
            file = folder.OpenForWriting(end.Segment);

            // Groups that a killed process did not sync have been read: they are history from here on, so make them durable.
            folder.Io.Sync(file);
        }
        catch
        {
            file?.Dispose();
            _buffer.Dispose();
            throw;
        }

        _file = file;
    }

    /// <summary>The place behind the last appended group.</summary>
    public LogPosition End { get; private set; }

    /// <summary>The place behind the last durable group.</summary>
    public LogPosition Durable { get; private set; }

    /// <summary>Highest number of a group.</summary>
    public ulong LastGroup { get; private set; }

    /// <summary>The error that closed the writer; null while it works.</summary>
    public Exception? Failure => _failure;

    /// <summary>Writes a group; it is durable after the next <see cref="Sync"/>.</summary>
    /// <param name="payload">1 byte to <see cref="MaxPayload"/>, and at most one of the largest segments.</param>
    /// <returns>The place behind the group.</returns>
    /// <exception cref="IOException">A write failed, now or before.</exception>
    public LogPosition Append(ReadOnlySpan<byte> payload)
    {
        RequireWorking();
        int blocks = LogBlock.CountFor(payload.Length);
        if (payload.IsEmpty || payload.Length > MaxPayload || blocks > _folder.MostBlocks)
            throw new ArgumentOutOfRangeException(
                nameof(payload), payload.Length, $"Expected 1 to {MaxPayload} bytes, within {_folder.MostBlocks} blocks.");
        try
        {
            RotateFor(blocks);
            Write(payload);
            return End;
        }
        catch (Exception e)
        {
            _failure ??= e;
            throw;
        }
    }

    /// <summary>Makes room for the next group: in a later segment, if this one has too little left.</summary>
    /// <param name="bytes">Most bytes of its payload.</param>
    /// <returns>Why there is no room; null if there is. The log goes on: a smaller group may find room, and a later call tries
    /// again.</returns>
    /// <exception cref="IOException">A sync failed, now or before.</exception>
    public Exception? Reserve(long bytes)
    {
        RequireWorking();
        try
        {
            RotateFor((int)Math.Min(_folder.MostBlocks, LogBlock.CountFor((int)Math.Min(MaxPayload, bytes))));
            return null;
        }
        catch (Exception e) when (_failure is null && e is IOException or UnauthorizedAccessException)
        {
            TryDropNext();
            return e;
        }
    }

    /// <summary>Begins the next segment when half of this one is used, so that a full disk is known before the log is at its end, and
    /// goes on with it as this one fills.</summary>
    /// <returns>Why there is no next segment yet; null if there is one, or if it is not needed. The next call tries again.</returns>
    public Exception? PrepareNext()
    {
        RequireWorking();
        if (_hasNext || End.Block <= _folder.BlocksOf(End.Segment) / 2)
            return null;
        try
        {
            FillNext();
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return e;
        }
    }

    /// <summary>Returns when all appended groups are on disk.</summary>
    /// <exception cref="IOException">The sync failed, now or before.</exception>
    public void Sync()
    {
        RequireWorking();
        if (Durable == End)
            return;
        try
        {
            _folder.Io.Sync(_file);
        }
        catch (Exception e)
        {
            _failure ??= e;
            throw;
        }

        Durable = End;
    }

    /// <summary>Gives up the segments before a place: up to <see cref="MaxSpare"/> of them become later segments of the same length,
    /// the others are deleted.</summary>
    /// <param name="first">The place from which a recovery will read on.</param>
    /// <exception cref="IOException">A file could not be renamed or deleted: it stays until the next time, and the log goes on.</exception>
    public void Release(LogPosition first)
    {
        RequireWorking();
        Debug.Assert(first.Group <= Durable.Group, "What is not durable cannot be given up.");
        uint[] segments = _folder.Segments();
        uint last = Math.Max(End.Segment, segments.LastOrDefault());
        foreach (uint segment in segments.Where(segment => segment < first.Segment))
        {
            if (last - End.Segment >= MaxSpare || _folder.BlocksOf(segment) != _folder.BlocksOf(last + 1))
            {
                _folder.Delete(segment);
                continue;
            }

            DropNext();
            _folder.Recycle(segment, ++last);
        }
    }

    /// <summary>Deletes a segment that was begun and is not yet filled.</summary>
    /// <exception cref="IOException">It cannot be deleted; the next draft of the segment tries again.</exception>
    public void DropNext()
    {
        SegmentDraft? next = _next;
        _next = null;
        try
        {
            next?.Discard();
        }
        catch (Exception e) when (next!.HasName)
        {
            // It stays, with a name that may not be durable.
            _failure ??= e;
            throw;
        }
    }

    /// <summary>Closes the segment, without a sync.</summary>
    public void Dispose()
    {
        _isDisposed = true;
        _file.Dispose();
        _buffer.Dispose();
        _next?.Dispose();
    }

    private void RotateFor(int blocks)
    {
        while (End.Block + blocks > _folder.BlocksOf(End.Segment))
            Rotate();
    }

    private void TryDropNext()
    {
        try
        {
            DropNext();
        }
        catch (Exception e) when (_failure is null && e is IOException or UnauthorizedAccessException)
        {
            // The next draft of the segment deletes it.
        }
    }

    private void Rotate()
    {
        // The groups of the old segment first: durable groups have no holes before them.
        Sync();
        if (_next is not null)
        {
            _next.Fill(_next.Blocks);
            PublishNext();
        }

        bool hasName = _folder.Has(End.Segment + 1);
        SafeFileHandle next;
        try
        {
            next = _folder.OpenForWriting(End.Segment + 1);
        }
        catch (Exception e) when (hasName)
        {
            // Its name may not be durable, and another sync would not tell.
            _failure ??= e;
            throw;
        }

        _file.Dispose();
        _file = next;
        _hasNext = false;
        End = Durable = End with { Segment = End.Segment + 1, Block = 0 };
    }

    private void FillNext()
    {
        if (_next is null && _folder.Has(End.Segment + 1))
        {
            _hasNext = true;
            return;
        }

        try
        {
            // A segment filled at once would keep the callers of one group waiting. It is done when this one has an eighth left.
            _next ??= new SegmentDraft(_folder, End.Segment + 1);
            int blocks = _folder.BlocksOf(End.Segment), half = blocks / 2;
            int due = (int)Math.Min(_next.Blocks, (End.Block - half) * 8L * _next.Blocks / (3L * blocks));
            if (due == _next.Blocks || due - _next.Filled >= FillBlocks)
                _next.Fill(due);
            if (_next.Filled == _next.Blocks)
                PublishNext();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            DropNext();
            throw;
        }
    }

    private void PublishNext()
    {
        _next!.Publish();
        DropNext();
        _hasNext = true;
    }

    private void Write(ReadOnlySpan<byte> payload)
    {
        ulong identity = _folder.IdentityOf(End.Segment), group = LastGroup + 1;
        uint checksum = End.Checksum;
        int block = End.Block, capacity = (int)_buffer.Length / LogBlock.Size;
        while (!payload.IsEmpty)
        {
            int count = Math.Min(capacity, LogBlock.CountFor(payload.Length));
            for (int i = 0; i < count; i++)
            {
                ReadOnlySpan<byte> part = payload[..Math.Min(payload.Length, LogBlock.PayloadSize)];
                payload = payload[part.Length..];
                var header = new LogBlockHeader
                {
                    Identity = identity,
                    Block = block + i,
                    Group = group,
                    DurableGroup = Durable.Group,
                    Before = checksum,
                    IsLast = payload.IsEmpty,
                };
                checksum = LogBlock.Write(_buffer.Span((nuint)i * LogBlock.Size, LogBlock.Size), header, part);
            }

            _folder.Io.Write(_file, _buffer.Span(0, count * LogBlock.Size), (long)block * LogBlock.Size);
            block += count;
        }

        LastGroup = group;
        End = new LogPosition(End.Segment, block, group, checksum);
    }

    private void RequireWorking()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (_failure is not null)
            throw new IOException($"The log is closed after an error: {_failure.Message}", _failure);
    }
}
