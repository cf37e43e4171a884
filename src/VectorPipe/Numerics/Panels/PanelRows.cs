namespace VectorPipe.Numerics.Panels;

/// <summary>
/// Rows as the panel kernels read them: 32-bit words at a stride, and a few numbers a row. A view; the memory belongs to somebody else.
/// </summary>
/// <remarks>
/// <para>float32 rows are their components. Byte rows are <em>signed</em> (uint8 components less 128), four to a word, the last word filled
/// up with zeros.
/// Bytes between the last word and the stride are readable; the stride is a multiple of 32 bytes.</para>
/// <para>A kernel accumulates, for a row a and a panel candidate b, the products of a with b + 128: the instruction it is made for
/// multiplies unsigned by signed
/// bytes. <see cref="RowTerms"/> and <see cref="PanelTerms"/> hold what turns the sum into |a-b|² or a·b; both are null for float
/// rows.</para>
/// </remarks>
/// <param name="Distance">How words are read and what comes out.</param>
/// <param name="First">Row 0.</param>
/// <param name="Stride">Bytes from row to row.</param>
/// <param name="Words">32-bit words of a row, at least 1.</param>
/// <param name="Components">Components of a row that count.</param>
/// <param name="RowTerms">A number for each row in the role of a.</param>
/// <param name="PanelTerms">A number for each row in the role of b.</param>
/// <param name="Auxiliary">The extra component (<see cref="PanelDistance.ByteL2Extended"/>) or the squared norm
/// (<see cref="PanelDistance.ByteChord"/>) of each row; else null.</param>
/// <param name="PairOffset">What a·b of the original components lacks beside a·b of the signed ones and both panel terms
/// (<see cref="PanelDistance.ByteChord"/>).</param>
internal readonly unsafe record struct PanelRows(
    PanelDistance Distance, nint First, nint Stride, int Words, int Components, nint RowTerms, nint PanelTerms, nint Auxiliary,
    int PairOffset)
{
    /// <summary>First word of a row.</summary>
    public byte* Row(int row) => (byte*)First + row * Stride;

    /// <summary>A row's number in the role of a.</summary>
    public int RowTerm(int row) => ((int*)RowTerms)[row];

    /// <summary>A row's number in the role of b.</summary>
    public int PanelTerm(int row) => ((int*)PanelTerms)[row];

    /// <summary>A row's auxiliary number.</summary>
    public float Aux(int row) => ((float*)Auxiliary)[row];
}
