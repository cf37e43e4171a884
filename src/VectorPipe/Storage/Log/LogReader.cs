using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;

namespace VectorPipe.Storage.Log;

/// <summary>Reads the groups of a log from a place to its end. It writes nothing, so that an interrupted recovery repeats itself.</summary>
/// <remarks>
/// The log ends at the first block that is not the next one of the chain. The end may be torn: blocks of groups that nobody has synced
/// may be there or not. If a later block names a missing group as durable, the log is damaged: an error, not a shorter history.
/// </remarks>
internal sealed class LogReader : IDisposable
{
    private const int BufferBlocks = 32;

    private readonly LogFolder _folder;
    private readonly NativeBuffer _buffer = new(BufferBlocks * LogBlock.Size, isReused: true);
    private byte[] _payload = new byte[64 << 10];

    /// <param name="folder">The segments.</param>
    public LogReader(LogFolder folder) => _folder = folder;

    /// <summary>Receives a group.</summary>
    /// <param name="end">The place behind it.</param>
    /// <param name="payload">Its payload, valid during the call.</param>
    public delegate void Receiver(LogPosition end, ReadOnlySpan<byte> payload);

    /// <summary>Highest number of a group that was seen in a valid block, whole or torn.</summary>
    public ulong LastSeen { get; private set; }

    /// <summary>Reads all groups from a place on.</summary>
    /// <returns>The end of the log.</returns>
    /// <exception cref="IndexCorruptException">A group that was durable is damaged or missing.</exception>
    /// <exception cref="IOException">A segment cannot be read.</exception>
    public LogPosition Read(LogPosition from, Receiver receive)
    {
        LastSeen = from.Group;
        LogPosition end = ReadGroups(from, receive);
        if (FindDurable(end) is not { } later)
            return end;

        // Another process may have written since: then all groups up to the durable one are there now. What it goes on to write is newer
        // than this call.
        LogPosition last = ReadGroups(end, receive);
        if (last.Group >= later.DurableGroup)
            return last;
        throw new IndexCorruptException(
            _folder.PathOf(last.Segment), last.Block,
            $"expected a group of the log after group {last.Group}, found none, though group {later.DurableGroup} was on disk when block "
            + $"{later.Block} of {Path.GetFileName(_folder.PathOf(later.Segment))} was written: the log is damaged");
    }

    /// <summary>Frees the buffer.</summary>
    public void Dispose() => _buffer.Dispose();

    /// <summary>Reads groups, segment by segment, up to the first block that does not continue the chain.</summary>
    private LogPosition ReadGroups(LogPosition from, Receiver receive)
    {
        LogPosition end = from;
        while (true)
        {
            end = ReadSegment(end, receive);
            if (FindNext(end) is not { } next)
                return end;
            end = next;
        }
    }

    /// <summary>The segment in which the log goes on behind a place; null if there is none.</summary>
    private LogPosition? FindNext(LogPosition end)
    {
        // A long group passes over segments that are too short for it.
        for (LogPosition next = end with { Block = 0 }; ;)
        {
            next = next with { Segment = next.Segment + 1 };
            if (!_folder.Has(next.Segment))
                return null;
            if (Continues(next))
                return next;
        }
    }

    /// <summary>Reads groups of a segment up to the first block that does not continue the chain.</summary>
    private LogPosition ReadSegment(LogPosition at, Receiver receive)
    {
        if (!_folder.Has(at.Segment))
        {
            return at == LogPosition.Start
                ? at
                : throw new IndexCorruptException(_folder.PathOf(at.Segment), "expected a segment of the log, found no file");
        }

        ulong identity = _folder.IdentityOf(at.Segment);
        LogPosition end = at;
        uint checksum = at.Checksum;
        int length = 0;
        ulong group = 0;
        foreach ((int number, LogBlockHeader? header, int offset) in Blocks(at.Segment, at.Block, identity))
        {
            bool isNext = header is { } found && found.Before == checksum && (length == 0 ? found.Group > end.Group : found.Group == group);
            if (!isNext)
                break;
            LogBlockHeader block = header!.Value;
            group = block.Group;
            Append(ref length, _buffer.Span((nuint)(offset + LogBlock.HeaderSize), block.PayloadLength));
            checksum = block.Checksum;
            if (!block.IsLast)
                continue;
            end = new LogPosition(at.Segment, number + 1, group, checksum);
            receive(end, _payload.AsSpan(0, length));
            length = 0;
        }

        LastSeen = Math.Max(LastSeen, end.Group);
        return end;
    }

    /// <summary>Whether the log goes on in another segment at a place.</summary>
    private bool Continues(LogPosition at)
    {
        foreach ((_, LogBlockHeader? header, _) in Blocks(at.Segment, 0, _folder.IdentityOf(at.Segment)))
            return header is { } first && first.Before == at.Checksum && first.Group > at.Group;
        return false;
    }

    /// <summary>Looks at everything behind the end for the block that names the latest durable group there; null if none does.</summary>
    private (ulong DurableGroup, uint Segment, int Block)? FindDurable(LogPosition end)
    {
        (ulong DurableGroup, uint Segment, int Block)? latest = null;
        foreach (uint segment in _folder.Segments().Where(segment => segment >= end.Segment))
        {
            int first = segment == end.Segment ? end.Block : 0;
            foreach ((int number, LogBlockHeader? header, _) in Blocks(segment, first, _folder.IdentityOf(segment)))
            {
                if (header is not { } block)
                    continue;
                LastSeen = Math.Max(LastSeen, block.Group);
                if (block.DurableGroup > Math.Max(end.Group, latest?.DurableGroup ?? 0))
                    latest = (block.DurableGroup, segment, number);
            }
        }

        return latest;
    }

    private IEnumerable<(int Number, LogBlockHeader? Header, int Offset)> Blocks(uint segment, int first, ulong identity)
    {
        using SafeFileHandle file = _folder.Io.OpenForReading(_folder.PathOf(segment));
        int blocks = _folder.BlocksOf(segment);
        for (int start = first; start < blocks; start += BufferBlocks)
        {
            int wanted = Math.Min(BufferBlocks, blocks - start) * LogBlock.Size;
            int read = Fill(file, wanted, (long)start * LogBlock.Size);
            for (int offset = 0; offset + LogBlock.Size <= read; offset += LogBlock.Size)
            {
                int number = start + (offset / LogBlock.Size);
                yield return (number, HeaderOf(offset, identity, number), offset);
            }

            if (read < wanted)
                throw WrongLength(segment, $"found {((long)start * LogBlock.Size) + read}");
        }

        if (Fill(file, 1, (long)blocks * LogBlock.Size) != 0)
            throw WrongLength(segment, "found more");
    }

    private IndexCorruptException WrongLength(uint segment, string found) =>
        new(_folder.PathOf(segment), $"expected a segment of {(long)_folder.BlocksOf(segment) * LogBlock.Size} bytes, {found}");

    private LogBlockHeader? HeaderOf(int offset, ulong identity, int number) =>
        LogBlock.TryRead(_buffer.Span((nuint)offset, LogBlock.Size), identity, number, out LogBlockHeader header) ? header : null;

    private int Fill(SafeFileHandle file, int wanted, long offset)
    {
        int done = 0;
        while (done < wanted)
        {
            int read = _folder.Io.Read(file, _buffer.Span((nuint)done, wanted - done), offset + done);
            if (read == 0)
                break;
            done += read;
        }

        return done;
    }

    private void Append(ref int length, ReadOnlySpan<byte> part)
    {
        if (length + part.Length > _payload.Length)
            Array.Resize(ref _payload, Math.Max(2 * _payload.Length, length + part.Length));
        part.CopyTo(_payload.AsSpan(length));
        length += part.Length;
    }
}
